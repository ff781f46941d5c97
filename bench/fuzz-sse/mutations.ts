import type { Random } from "../random.ts";

/** Changes one frame. What comes out need not be a frame any more. */
type Mutation = (frame: string, random: Random) => string | Uint8Array;

export const frameMutations = {
  truncate: (frame, random) => frame.slice(0, random.below(frame.length + 1)),
  insertBytes: (frame, random) => insert(frame, random.bytes(1 + random.below(20)), random),
  controlCharacter: (frame, random) => insert(frame, random.pick(controls), random),
  otherLineEnds: (frame, random) => frame.replaceAll("\n", random.pick(["\r\n", "\r", "\n\r", ""])),
  splitData: (frame, random) =>
    insert(frame, random.pick(["\ndata: ", "\nevent: error\n", "\nretry: 1\n"]), random),
  otherField: (frame, random) =>
    frame.replace(/^data/m, random.pick(["data ", "date", "id", "event", "retry", ""])),
  dropField: (frame, random) => inJson(frame, random, (fields, key) => void delete fields[key]),
  replaceValue: (frame, random) =>
    inJson(frame, random, (fields, key) => {
      fields[key] = random.pick(values);
    }),
  moveValue: (frame, random) =>
    inJson(frame, random, (fields, key) => {
      fields[random.pick(names)] = fields[key];
    }),
  otherType: (frame, random) =>
    frame.replaceAll(/response\.[a-z_.]+|stop|function/g, () => random.pick(types)),
  otherId: (frame, random) =>
    frame.replaceAll(/(?:call|fc|msg|rs|ctc)_\w+|[cf]\d\b/g, () => random.pick(ids)),
  duplicateKey: (frame, random) =>
    frame.replace("{", `{"${random.pick(names)}":${JSON.stringify(random.pick(values))},`),
  deep: (frame, random) => {
    const depth = 1 + random.below(3000);
    return frame.replace(/:"[^"]*"/, `:${"[".repeat(depth)}${"]".repeat(depth)}`);
  },
  long: (frame, random) => frame.replace(/":"/, `":"${"y".repeat(random.below(20_000))}`),
} as const satisfies Readonly<Record<string, Mutation>>;

export type FrameMutation = keyof typeof frameMutations;
export const frameMutationNames = Object.keys(frameMutations) as readonly FrameMutation[];

type Fields = Record<string, unknown>;

/** Changes one of the objects in the frame's JSON, if it has any. */
function inJson(frame: string, random: Random, change: (fields: Fields, key: string) => void): string {
  const [, head = "", json = "", tail = ""] = /^([\s\S]*?data: )(\{.*\})(\s*)$/.exec(frame) ?? [];
  if (json === "") return frame;
  const root = parsed(json);
  const fields = random.pick(objectsIn(root));
  const keys = Object.keys(fields);
  if (keys.length > 0) change(fields, random.pick(keys));
  return `${head}${JSON.stringify(root)}${tail}`;
}

function parsed(json: string): Fields {
  try {
    return JSON.parse(json) as Fields;
  } catch {
    return {};
  }
}

function objectsIn(value: unknown): readonly Fields[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inner : [value as Fields, ...inner];
}

function insert(frame: string, piece: string | Uint8Array, random: Random): Uint8Array {
  const bytes = Buffer.from(frame);
  const at = random.below(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(piece), bytes.subarray(at)]);
}

const controls = ["\0", "\u001b[2J", "\u2028", "\uFEFF", "\ud800", "\u0085", "\b"];
const values: readonly unknown[] = [
  null,
  0,
  -1,
  1e308,
  "",
  "x",
  " ",
  [],
  {},
  [null],
  true,
  "{",
  { error: 1 },
];
const names = [
  "type",
  "id",
  "call_id",
  "item",
  "delta",
  "error",
  "choices",
  "index",
  "name",
  "response",
  "status",
];
const ids = ["a", "b", "", "call_0", "0"];
const types = [
  "response.completed",
  "response.output_item.done",
  "response.output_item.added",
  "response.output_text.delta",
  "response.function_call_arguments.delta",
  "response.function_call_arguments.done",
  "response.reasoning_summary_part.added",
  "response.failed",
  "response.incomplete",
  "error",
  "tool_calls",
  "length",
  "",
];
