import type { Item } from "../../../core/items.ts";
import type { OpenTurn } from "../../runtime.ts";
import type { ThreadBinding } from "./seed.ts";
import { readSide } from "./turn-side.ts";
import { fieldsOf, listOf, textIn } from "../wire/fields.ts";
import type { WireTurn } from "../wire/turn.ts";

/**
 * The turn that our death left open, in codex's journal: by codex's id if we had learned it, else by ours, which codex
 * keeps with the user's message. Before 0.136 it does not: then it is the one that says the same, after all turns that
 * we know. The words alone would not do, because people say the same again.
 */
export function ourTurn(
  turns: readonly WireTurn[],
  open: OpenTurn,
  binding: (Pick<ThreadBinding, "turn"> & { readonly isNoted?: boolean }) | undefined,
): WireTurn | undefined {
  const side = readSide(open.side);
  if (side !== undefined) return turns.find(({ id }) => id === side.turn);
  const signed = turns.find((each) => userMessages(each).some(({ clientId }) => clientId === open.id));
  const known = turns.findIndex(({ id }) => id !== undefined && id === binding?.turn);
  if (signed !== undefined || known < 0) return signed;
  // We may have died between noting where the thread is and noting which turn it is at.
  return turns
    .slice(binding?.isNoted === true ? known : known + 1)
    .find((each) => isUnsigned(each) && saysTheSame(each, open));
}

/** The names that the messages of the person were sent with. */
export const namesIn = (turn: WireTurn): readonly string[] =>
  userMessages(turn).flatMap((message) => textIn(message, "clientId") ?? []);

const userMessages = ({ items }: WireTurn): readonly ReturnType<typeof fieldsOf>[] =>
  items.map(fieldsOf).filter(({ type }) => type === "userMessage");

const isUnsigned = (turn: WireTurn): boolean =>
  userMessages(turn).every(({ clientId }) => clientId === undefined);

/** What was sent into the turn later is a message of its own. */
function saysTheSame(turn: WireTurn, { input }: OpenTurn): boolean {
  const [first] = userMessages(turn);
  if (first === undefined) return false;
  const said = listOf(first["content"]).map((part) => textIn(fieldsOf(part), "text") ?? "");
  return said.join("") === input.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/**
 * What was not kept yet. The ids decide; but before 0.151 the journal gives items new ones, and there a text or a note that is in
 * the journal under another id than the one it was kept under is the same text. Each kept one stands for one.
 */
export function withoutKept(items: readonly Item[], kept: readonly Item[]): readonly Item[] {
  const journal = new Set(items.map(({ id }) => id));
  const known = new Set(kept.map(({ id }) => id));
  const renamed = kept.filter(({ id }) => !journal.has(id)).map(wordsOf);
  return items.filter((item) => {
    if (known.has(item.id)) return false;
    const words = wordsOf(item);
    const at = words === undefined ? -1 : renamed.indexOf(words);
    if (at >= 0) renamed[at] = undefined;
    return at < 0;
  });
}

const wordsOf = (item: Item): string | undefined =>
  item.kind === "text" || item.kind === "thinking" || item.kind === "note"
    ? `${item.kind} ${item.text}`
    : undefined;
