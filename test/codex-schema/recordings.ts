import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A frame of a real conversation with codex 0.166.0. Long texts are cut. */
export type RecordedFrame = {
  readonly capture: string;
  readonly dir: "c>s" | "s>c";
  readonly msg: Readonly<Record<string, unknown>>;
};

/** One frame of each shape from some 150 recordings, by recording and in order; a question is kept with its answer. */
export function recordings(): ReadonlyMap<string, readonly RecordedFrame[]> {
  const lines = readFileSync(join(import.meta.dirname, "recordings.jsonl"), "utf8")
    .trimEnd()
    .split("\n");
  return Map.groupBy(
    lines.map((line) => JSON.parse(line) as RecordedFrame),
    ({ capture }) => capture,
  );
}
