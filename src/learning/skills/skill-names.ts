/** Also the name of its folder and of its slash command. */
export const isSkillName = (name: string): boolean => /^[a-z0-9][a-z0-9-]{0,63}$/.test(name);

export const skillFile = "SKILL.md";

/** Folders inside a skill that may have further files. */
export const skillFolders = ["references", "templates", "scripts", "assets"] as const;

/** Why there can be no such file in a skill. `undefined`: there can. */
export function whyNoSkillFile(file: string): string | undefined {
  if (file === skillFile) return undefined;
  const [folder = "", ...rest] = file.split("/");
  const isPlain = rest.every((part) => /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/.test(part));
  const isKnown = (skillFolders as readonly string[]).includes(folder);
  if (isKnown && isPlain && rest.length >= 1 && rest.length <= 4) return undefined;
  return `files of a skill are ${skillFile} or stand in ${skillFolders.join("/, ")}/, with plain names`;
}
