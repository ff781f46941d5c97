/** The oldest codex whose protocol was tried, and the newest. */
const minimum = [0, 125, 0] as const;
const tested = [0, 166] as const;

export const minimumVersion = minimum.join(".");
export const testedVersion = `${tested.join(".")}.x`;

export type VersionVerdict =
  | { readonly kind: "fits"; readonly version: string }
  | { readonly kind: "newer"; readonly version: string; readonly warning: string }
  | { readonly kind: "old"; readonly version: string }
  | { readonly kind: "none" };

/** Judges what `codex --version` printed. */
export function judgeVersion(output: string): VersionVerdict {
  const found = /(?<![\d.])(\d{1,9})\.(\d{1,9})\.(\d{1,9})/.exec(output);
  if (found === null) return { kind: "none" };
  const numbers = found.slice(1).map(Number);
  const version = numbers.join(".");
  if (compare(numbers, minimum) < 0) return { kind: "old", version };
  if (compare(numbers.slice(0, 2), tested) <= 0) return { kind: "fits", version };
  return {
    kind: "newer",
    version,
    warning: `codex ${version} is newer than the newest one this was tested with (${testedVersion}). If something goes wrong, try that one: npm install -g @openai/codex@${tested.join(".")}.0`,
  };
}

function compare(a: readonly number[], b: readonly number[]): number {
  const differences = b.map((number, index) => (a[index] ?? 0) - number);
  return differences.find((difference) => difference !== 0) ?? 0;
}
