import * as fc from "../../test/seeded.ts";
import type { TurnEvent } from "../core/events.ts";
import { faultCodes } from "../core/faults.ts";
import { type ItemId, type TurnId, asId } from "../core/ids.ts";
import type { Item } from "../core/items.ts";
import type { Json } from "../core/json.ts";
import type { Message, ToolCall } from "../core/messages.ts";
import type { TurnRecord } from "../core/session.ts";
import { project, startProjection } from "./projector.ts";

/** Random turns for the properties of this folder. Ids come from small pools, so that repetitions are common. */

const itemId: fc.Arbitrary<ItemId> = fc.integer({ min: 0, max: 7 }).map((n) => asId<"itm">(`itm_${n}`));
const callId = fc.constantFrom("call_1", "call_1_2", "call_2", "codex_exec_itm_3", "");
export const words = fc.oneof(
  fc.constantFrom("", " ", "\n", "yes", "no, 😀"),
  fc.string({ unit: fc.anyCharacter }),
);
export const args = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;

const item: fc.Arbitrary<Item> = fc.oneof(
  fc.record({ id: itemId, kind: fc.constant("text" as const), text: words }),
  fc.record({ id: itemId, kind: fc.constant("thinking" as const), text: words }),
  fc.record(
    {
      id: itemId,
      kind: fc.constant("call" as const),
      callId,
      tool: fc.constantFrom("exec_command", "memory", "skill_manage"),
      args,
      output: words,
      ok: fc.boolean(),
      exitCode: fc.integer({ min: -1, max: 2 }),
    },
    { requiredKeys: ["id", "kind", "callId", "tool", "args", "output", "ok"] },
  ),
  fc.record({ id: itemId, kind: fc.constant("note" as const), text: words }),
  fc.record({
    id: itemId,
    kind: fc.constant("note" as const),
    text: words,
    history: fc.constant(true as const),
  }),
  fc.record({ id: itemId, kind: fc.constantFrom("plan", "hologram") }) as unknown as fc.Arbitrary<Item>,
);

const otherEvent: fc.Arbitrary<TurnEvent> = fc.oneof(
  fc.constant<TurnEvent>({ type: "started", runtime: "codex", model: "m", cwd: "/" }),
  fc.record({
    type: fc.constant("begin" as const),
    item: fc.record({ id: itemId, kind: fc.constantFrom("text" as const, "call" as const) }),
  }),
  fc.record({
    type: fc.constant("delta" as const),
    item: itemId,
    of: fc.constantFrom("text" as const, "thinking" as const, "output" as const),
    text: words,
  }),
  fc.constant<TurnEvent>({ type: "status", state: "thinking" }),
  fc.constant<TurnEvent>({ type: "notice", code: "seeded", text: "started anew" }),
  fc.constant<TurnEvent>({
    type: "usage",
    input: 1,
    cached: 0,
    output: 1,
    reasoning: 0,
    context: { used: 2 },
  }),
  fc.constant<TurnEvent>({ type: "ended", outcome: "done", text: "", calls: 0 }),
  fc.record({ type: fc.constantFrom("approval", "telepathy") }) as unknown as fc.Arbitrary<TurnEvent>,
);

/** Items and everything else a runtime says, in any order, repeated items and unknown variants included. */
export const events: fc.Arbitrary<readonly TurnEvent[]> = fc.array(
  fc.oneof(
    { arbitrary: item.map((one): TurnEvent => ({ type: "item", item: one })), weight: 3 },
    { arbitrary: otherEvent, weight: 1 },
  ),
  { maxLength: 24 },
);

export function rowsOf(said: readonly TurnEvent[]): readonly Message[] {
  let state = startProjection();
  return said.flatMap((event) => {
    const [next, rows] = project(state, event);
    state = next;
    return rows;
  });
}

export const user = fc
  .oneof(
    words,
    fc.constant([{ type: "image" as const, name: "a.png", mediaType: "image/png", base64: "AA==" }]),
  )
  .map((content): Message => ({ role: "user", content }));

const toolCall: fc.Arbitrary<ToolCall> = fc.record({
  id: callId,
  name: fc.constant("exec_command"),
  arguments: fc.constant("{}"),
});

/** Rows that no projector would write: an older version, an import or a damaged file might. */
const anyRow: fc.Arbitrary<Message> = fc.oneof(
  user,
  fc.record(
    {
      role: fc.constant("assistant" as const),
      content: words,
      toolCalls: fc.array(toolCall, { maxLength: 3 }),
      reasoning: words,
    },
    { requiredKeys: ["role", "content"] },
  ),
  fc.record({ role: fc.constant("tool" as const), toolCallId: callId, content: words }),
);

/** What a kill leaves of a turn: the user's row and any beginning of the others, with what was said meanwhile among them. */
const cutRows: fc.Arbitrary<readonly Message[]> = fc
  .tuple(user, events, fc.array(fc.tuple(fc.nat(), user), { maxLength: 3 }), fc.nat())
  .map(([first, said, meanwhile, cut]) => {
    const rows = meanwhile.reduce(
      (before, [at, more]) => before.toSpliced(at % (before.length + 1), 0, more),
      rowsOf(said),
    );
    return [first, ...rows].slice(0, 1 + (cut % 30));
  });

const fault = fc.record({
  code: fc.constantFrom(...faultCodes),
  message: words,
  next: fc.constant("Try again."),
});

export const turns: fc.Arbitrary<readonly TurnRecord[]> = fc
  .array(
    fc.record({
      state: fc.constantFrom<TurnRecord["turn"]["state"]>(
        "open",
        "done",
        "interrupted",
        "failed",
        "unconfirmed",
      ),
      fault: fc.option(fault, { nil: undefined }),
      messages: fc.oneof(cutRows, fc.array(anyRow, { maxLength: 10 })),
    }),
    { maxLength: 6 },
  )
  .map((list) =>
    list.map(({ state, fault: why, messages }, at) => ({
      turn: { id: turnId(at), state, ...(why === undefined ? {} : { fault: why }) },
      messages,
    })),
  );

export const turnId = (n: number): TurnId => asId<"trn">(`trn_${n}`);
