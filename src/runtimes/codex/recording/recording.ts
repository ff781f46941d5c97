import { type Json, isPlainObject } from "../../../core/json.ts";

/** c>s and s>c: a frame to and from codex · exit: how the process ended · note: a person's or tool's remark */
export type Direction = "c>s" | "s>c" | "exit" | "note";

/** One line of a recording. `ms` counts from its start; `client` only where several shared one codex. */
export type RecordedFrame = {
  readonly client?: string;
  readonly ms: number;
  readonly dir: Direction;
  readonly msg: Json;
};

/** `undefined` for a line that is none: a recording may be cut off anywhere, and people edit them. */
export function parseRecording(line: string): RecordedFrame | undefined {
  const value = parse(line);
  if (!isPlainObject(value)) return undefined;
  const { client, ms, dir, msg } = value;
  if (typeof ms !== "number" || !isDirection(dir) || msg === undefined) return undefined;
  return { ...(typeof client === "string" ? { client } : {}), ms, dir, msg: msg as Json };
}

/** The line, without its newline. */
export function formatFrame({ client, ms, dir, msg }: RecordedFrame): string {
  const rounded = Math.round(ms * 10) / 10;
  return JSON.stringify({ ...(client === undefined ? {} : { client }), ms: rounded, dir, msg });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const isDirection = (value: unknown): value is Direction =>
  value === "c>s" || value === "s>c" || value === "exit" || value === "note";
