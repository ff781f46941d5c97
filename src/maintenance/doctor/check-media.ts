import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Facts } from "./facts.ts";
import { type Finding, type Probe, note } from "./probe.ts";
import { sizeText } from "./check-words.ts";

/** Nothing that tools made is ever deleted by itself, so somebody has to say when it is a lot. */
const manyBytes = 1024 ** 3;

export const mediaProbes = ({ place }: Pick<Facts, "place">, limit = manyBytes): readonly Probe[] => [
  { name: "media", look: () => mediaCheck(place.paths.media, limit) },
];

async function mediaCheck(folder: string, limit: number): Promise<readonly Finding[]> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(names.map((name) => sizeOf(join(folder, name))));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes <= limit) return [];
  const detail = `${folder} holds ${sizeText(bytes)} of pictures and sounds that tools made`;
  return [note("media", detail, "Delete those that you do not need; Talaria keeps them all.")];
}

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    (found) => (found.isFile() ? found.size : 0),
    () => 0,
  );
