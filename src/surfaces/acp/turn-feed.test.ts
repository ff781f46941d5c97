import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import * as fc from "../../../test/seeded.ts";
import type { Envelope, TurnEvent } from "../../core/events.ts";
import { asId } from "../../core/ids.ts";
import { systemClock } from "../../lib/clock.ts";
import { callFeed } from "./call-feed.ts";
import { sessionWriter } from "./session-writer.ts";
import { turnFeed } from "./turn-feed.ts";

const session = asId<"ses">("ses_1");
const at = (seq: number, event: TurnEvent, turn = "trn_1"): Envelope => ({
  v: 1,
  seq,
  session,
  turn: asId<"trn">(turn),
  ...event,
});

/** What an editor is sent for these events. */
async function shown(
  events: readonly (TurnEvent & Pick<Envelope, "elsewhere">)[],
): Promise<readonly SessionUpdate[]> {
  const updates: SessionUpdate[] = [];
  const writer = sessionWriter({ update: (_session, update) => void updates.push(update) }, session);
  const nothing = { handle: async () => {}, closeAll: () => {} };
  const calls = callFeed({ writer, clock: systemClock, terminals: false });
  const feed = turnFeed({
    writer,
    calls,
    permissions: nothing,
    questions: nothing,
    cwd: "/",
    log: assert.fail,
  });
  for (const [index, event] of events.entries()) feed.handle(at(index, event));
  await feed.settled();
  return updates;
}

const said = (updates: readonly SessionUpdate[], kind: "agent_message_chunk" | "agent_thought_chunk") =>
  updates
    .map((update) =>
      update.sessionUpdate === kind && update.content.type === "text" ? update.content.text : "",
    )
    .join("");

const text = (id: string, words: string): TurnEvent => ({
  type: "item",
  item: { id: asId(id), kind: "text", text: words },
});
const delta = (item: string, words: string, of: "text" | "thinking" = "text"): TurnEvent => ({
  type: "delta",
  item: asId(item),
  of,
  text: words,
});
const ended: TurnEvent = { type: "ended", outcome: "done", text: "Whole.", calls: 0 };

describe("what an editor is told of a turn", () => {
  test("is each text once: as it came, what came late, or the answer that came with the end alone", async () => {
    const rows: readonly (readonly [readonly TurnEvent[], string])[] = [
      [[delta("a", "One "), delta("a", "two."), text("a", "One two."), ended], "One two."],
      [[delta("a", "One "), text("a", "One two."), ended], "One two."],
      [[text("a", "One."), delta("b", "Two."), text("b", "Two."), ended], "One.\n\nTwo."],
      [[delta("a", "Was wrong."), text("a", "Is right."), ended], "Was wrong."],
      [[ended], "Whole."],
      [
        [{ ...ended, outcome: "unconfirmed" }],
        "Whole.\n\n> talaria: It probably finished, but that could not be confirmed.",
      ],
      [[{ type: "notice", code: "x", text: "Mind\nthis." }, ended], "> talaria: Mind\n> this.\n\nWhole."],
      [[delta("t", "Hm.", "thinking"), ended], "Whole."],
    ];
    for (const [events, expected] of rows)
      assert.equal(said(await shown(events), "agent_message_chunk"), expected);
    const thoughts = await shown([
      delta("t", "Hm.", "thinking"),
      { type: "item", item: { id: asId("t"), kind: "thinking", text: "Hm. So." } },
    ]);
    assert.equal(said(thoughts, "agent_thought_chunk"), "Hm. So.");
  });

  test("says that a turn elsewhere was cut off; of its own the answer to the prompt says so", async () => {
    const cut = { ...ended, outcome: "interrupted", text: "" } as const;
    const told = async (event: typeof cut & Pick<Envelope, "elsewhere">): Promise<string> =>
      said(await shown([event]), "agent_message_chunk");
    assert.equal(
      await told({ ...cut, elsewhere: true }),
      "> talaria: Interrupted; what was finished is kept.",
    );
    assert.equal(await told(cut), "");
  });

  test("holds whatever the order of events: every call that begins comes to an end with the turn, and once", async () => {
    const item = fc.constantFrom("a", "b", "c");
    const event: fc.Arbitrary<TurnEvent> = fc.oneof(
      item.map((id): TurnEvent => ({
        type: "begin",
        item: { id: asId(id), kind: "call", tool: "terminal" },
      })),
      item.map((id): TurnEvent => ({ type: "delta", item: asId(id), of: "output", text: "out" })),
      item.map((id) => delta(id, "word ")),
      item.map((id) => text(id, "word word ")),
      fc.tuple(item, fc.boolean()).map(([id, ok]): TurnEvent => ({
        type: "item",
        item: { id: asId(id), kind: "call", callId: id, tool: "terminal", args: {}, output: "", ok },
      })),
      fc.constant<TurnEvent>({ type: "status", state: "retrying" }),
      fc.constant<TurnEvent>({ type: "notice", code: "x", text: "mind" }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 25 }), async (events) => {
        const updates = await shown([...events, ended]);
        const states = new Map<string, string>();
        for (const update of updates) {
          if (update.sessionUpdate === "tool_call") states.set(update.toolCallId, update.status ?? "?");
          if (update.sessionUpdate !== "tool_call_update") continue;
          assert.ok(states.has(update.toolCallId), "no update of a call that nobody knows");
          if (update.status) states.set(update.toolCallId, update.status);
        }
        for (const status of states.values()) assert.match(status, /^(?:completed|failed)$/);
      }),
      { numRuns: 200 },
    );
  });
});
