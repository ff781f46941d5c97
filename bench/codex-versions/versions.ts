/** The oldest that is supported, one from the middle, and the one that everything else is tested with. */
export const defaultVersions: readonly string[] = ["0.125.0", "0.150.0", "0.166.0"];

/** Releases from the oldest supported one on, oldest first. Platform packages and previews have a suffix. */
export const releasesInRange = (published: readonly string[]): readonly string[] =>
  published
    .filter((version) => /^\d+\.\d+\.\d+$/.test(version))
    .filter((version) => compareVersions(version, defaultVersions[0] ?? "") >= 0)
    .toSorted(compareVersions);

export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number)) as [number[], number[]];
  const differences = left.map((number, at) => number - (right[at] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}
