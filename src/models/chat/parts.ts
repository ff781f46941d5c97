import { type Fields, fieldsOf } from "../../core/json.ts";
import { textOf } from "../wire.ts";

/** One item of the answer while it arrives. Of a call, `text` is its arguments. */
export type Part = {
  readonly item: number;
  readonly kind: "text" | "thinking" | "call";
  readonly id: string;
  readonly index: number | undefined;
  readonly name: string;
  readonly text: string;
};

/** Text and thinking are one item each, however they alternate. */
export function growProse(parts: readonly Part[], kind: "text" | "thinking", text: string): readonly Part[] {
  if (text === "") return parts;
  const part = parts.find((one) => one.kind === kind) ?? fresh(parts, kind);
  return parts.toSpliced(part.item, 1, { ...part, text: part.text + text });
}

/** Calls arrive in pieces and interleaved; a piece belongs to the call with its index. */
export function addCall(parts: readonly Part[], piece: Fields): readonly Part[] {
  const fn = fieldsOf(piece["function"]);
  const id = textOf(piece["id"]);
  const index = typeof piece["index"] === "number" ? piece["index"] : undefined;
  const name = textOf(fn["name"]);
  const part = findCall(parts, id, index, name) ?? { ...fresh(parts, "call"), index };
  return parts.toSpliced(part.item, 1, {
    ...part,
    id: part.id || id,
    name: part.name || name,
    text: part.text + textOf(fn["arguments"]),
  });
}

/**
 * Some servers give every call the index 0 and only the ids tell them apart; some leave the index out. Some make up
 * another id for every piece: then only the first piece has a name.
 */
function findCall(
  parts: readonly Part[],
  id: string,
  index: number | undefined,
  name: string,
): Part | undefined {
  const calls = parts.filter(({ kind }) => kind === "call");
  const here = index === undefined ? calls : calls.filter((call) => call.index === index);
  if (id === "") return here.at(-1);
  const own = here.find((call) => call.id === id);
  if (own !== undefined || index === undefined) return own;
  return here.find((call) => call.id === "") ?? (name === "" ? here.at(-1) : undefined);
}

const fresh = (parts: readonly Part[], kind: Part["kind"]): Part => ({
  item: parts.length,
  kind,
  id: "",
  index: undefined,
  name: "",
  text: "",
});
