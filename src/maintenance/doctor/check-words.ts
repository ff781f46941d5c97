/** Bytes as people read them. */
export function sizeText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const number = bytes / 1024 ** power;
  return `${power === 0 || number >= 100 ? Math.round(number) : number.toFixed(1)} ${units[power]}`;
}

/** What to do where there is no sandbox, by why there is none. */
export const sandboxStep = (why: string): string =>
  why.includes("does not work here")
    ? "Let programs make user namespaces (kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns, or the limits of your container); until then every command asks."
    : "Install codex (npm install -g @openai/codex) or bubblewrap (bwrap); until then every command asks.";
