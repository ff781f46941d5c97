import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EndedEvent, TurnEvent } from "../../core/events.ts";
import type { Item } from "../../core/items.ts";
import type { Json } from "../../core/json.ts";
import type { Message } from "../../core/messages.ts";
import { type ModelReply, type RuntimeUnderTest, portsOf, turnOf } from "../runtime.suite.ts";
import type { Ports, Runtime, Steered, Turn } from "../runtime.ts";

/** A codex home and a model that gives these replies. */
export type CodexPlace = AsyncDisposable & {
  /** Each time as after a start of Talaria: nothing is known but what codex keeps. */
  start(): Runtime;
  readonly seenByModel: RuntimeUnderTest["seenByModel"];
};

export type OpenPlace = (replies: readonly ModelReply[]) => Promise<CodexPlace>;

/** What is left of a turn in the journal of an old codex is its words: calls that we missed are missed for ever. */
export type Journal = "whole" | "words";

export const first: ModelReply = { says: "One." };
const second: readonly ModelReply[] = [
  { thinks: "Hm.", says: "Let me see.", calls: [{ tool: "echo", args: { text: "ping" } }] },
  { says: "Two." },
];

/** What the codex runtime owes after a death of ours: nothing is lost that codex has kept, and nothing is doubled. */
export function recoverySuite(
  name: string,
  open: OpenPlace,
  { journal }: { readonly journal: Journal },
): void {
  describe(`recovery: ${name}`, () => {
    for (const learned of [true, false]) {
      const id = learned ? "known" : "unknown";
      test(`a turn that had ended is completed from the journal, codex's id of it ${id}`, async () => {
        await using fixture = await open([first, ...second]);
        const { turn, items, ended, bound } = await twoTurns(fixture);
        const runtime = fixture.start();
        for (let kept = 0; kept <= items.length; kept += 1) {
          const events = await runtime.recover(
            { ...turn, items: items.slice(0, kept), ...(learned ? namesOf(ended) : {}) },
            portsWith(bound).ports,
          );
          const whole = [...items.slice(0, kept), ...itemsOf(events).filter(({ kind }) => kind !== "note")];
          const expected = items.filter(
            ({ kind }, at) => journal === "whole" || at < kept || kind !== "call",
          );
          assert.deepEqual(whole.map(inWords), expected.map(inWords), `${kept} were kept`);
          assert.equal(new Set(whole.map((item) => item.id)).size, whole.length);
          const last = events.at(-1);
          assert.ok(last?.type === "ended" && last.outcome === "done" && last.text === "Two.");
          assert.equal(last.calls, expected.filter(({ kind }) => kind === "call").length);
          const notes = itemsOf(events).filter(({ kind }) => kind === "note");
          assert.equal(notes.length, journal === "whole" ? 0 : 1, "what may be missing is said");
        }
      });
    }

    test("the thread is not told again of a turn in which we died, though we never learned its id", async () => {
      await using fixture = await open([first, { says: "Half", hangs: true }, { says: "Three." }]);
      const { before, bound } = await firstTurn(fixture);
      for await (const event of before.run(secondTurn, portsWith(bound).ports)) {
        if (event.type === "delta") await before[Symbol.asyncDispose]();
      }
      const { recovered, heard } = await thirdTurn(fixture, bound);
      assert.equal(recovered.at(-1)?.type, "ended");
      assert.deepEqual(heard, [1, 1, 1]);
    });

    test("a turn that codex has never heard of is told to the thread with the next one", async () => {
      await using fixture = await open([first, { says: "Three." }]);
      const { before, bound } = await firstTurn(fixture);
      await before[Symbol.asyncDispose]();
      const { recovered, heard } = await thirdTurn(fixture, bound);
      assert.deepEqual(recovered, []);
      assert.deepEqual(heard, [1, 1, 1]);
    });

    test("a turn that codex had begun but not written down is told to the thread with the next one", async () => {
      await using fixture = await open([first, { says: "Three." }]);
      const { before, bound } = await firstTurn(fixture);
      await before[Symbol.asyncDispose]();
      const begun = { turn: "00000000-0000-7000-8000-000000000000", at: firstHistory.length };
      const { heard } = await thirdTurn(fixture, {
        ...(bound as { readonly [key: string]: Json }),
        ...begun,
      });
      assert.deepEqual(heard, [1, 1, 1]);
    });

    test("what was said into a turn is told from the rest by its name, and is no item of it", async () => {
      const asks: ModelReply = { calls: [{ tool: "echo", args: { text: "ping" } }] };
      await using fixture = await open([asks, { says: "Kindly." }]);
      const before = fixture.start();
      const turn = turnOf({ input: "first words" });
      const { ports } = portsWith(undefined);
      const said: Steered[] = [];
      const tools: Ports["tools"] = {
        ...ports.tools,
        async call() {
          said.push(await before.steer(turn.id, [{ type: "text", text: "be kind" }], "inb_kind"));
          return { ok: true, output: "pong" };
        },
      };
      const events = await Array.fromAsync(before.run(turn, { ...ports, tools }));
      await before[Symbol.asyncDispose]();
      assert.deepEqual(said, ["taken"]);
      const ended = events.at(-1);
      assert.ok(ended?.type === "ended" && ended.text === "Kindly.");
      const left = { ...turn, items: itemsOf(events), ...namesOf(ended) };
      const after = fixture.start();
      assert.deepEqual(
        itemsOf(await after.recover(left, ports)).filter(({ kind }) => kind !== "note"),
        [],
      );
      const arrived = await after.arrivedInputs?.(left, ports);
      if (journal === "whole") assert.equal(arrived?.has("inb_kind"), true);
      assert.equal(arrived?.has("inb_other"), false);
    });

    test("what changed since the session began reaches the model with the turn", async () => {
      await using fixture = await open([first]);
      const turn = { ...turnOf({ input: "first words" }), context: ["The memory has changed."] };
      await Array.fromAsync(fixture.start().run(turn, portsWith(undefined).ports));
      assert.equal((fixture.seenByModel()[0] ?? "").split("The memory has changed.").length - 1, 1);
    });
  });
}

/** Two turns that ended well, of which we then remember the first: where the thread was after it is in `bound`. */
async function twoTurns(fixture: CodexPlace): Promise<{
  readonly turn: Turn;
  readonly items: readonly Item[];
  readonly ended: EndedEvent;
  readonly bound: Json | undefined;
}> {
  const runtime = fixture.start();
  const { ports, bound } = portsWith(undefined);
  await Array.fromAsync(runtime.run(turnOf({ input: "go on" }), ports));
  const known = bound();
  const turn = turnOf({ input: "go on", history: historyOf("go on", "One.") });
  const events = await Array.fromAsync(runtime.run(turn, ports));
  await runtime[Symbol.asyncDispose]();
  const ended = events.at(-1);
  assert.ok(ended?.type === "ended" && ended.outcome === "done");
  return { turn, items: itemsOf(events), ended, bound: known };
}

export async function firstTurn(
  fixture: CodexPlace,
): Promise<{ readonly before: Runtime; readonly bound: Json | undefined }> {
  const before = fixture.start();
  const { ports, bound } = portsWith(undefined);
  await Array.fromAsync(before.run(turnOf({ input: "first words" }), ports));
  return { before, bound: bound() };
}

const firstHistory = historyOf("first words", "One.");
export const secondTurn = turnOf({ input: "second words", history: firstHistory });

/** After a new start: what comes of the second turn, and how often the model then hears the words of each. */
async function thirdTurn(
  fixture: CodexPlace,
  bound: Json | undefined,
): Promise<{ readonly recovered: readonly TurnEvent[]; readonly heard: readonly number[] }> {
  const after = fixture.start();
  const { ports } = portsWith(bound);
  const recovered = await after.recover({ ...secondTurn, items: [] }, ports);
  const history = [...firstHistory, ...historyOf("second words", "It was interrupted.")];
  await Array.fromAsync(after.run(turnOf({ input: "third words", history }), ports));
  const seen = fixture.seenByModel().at(-1) ?? "";
  const heard = ["first", "second", "third"].map((word) => seen.split(`${word} words`).length - 1);
  return { recovered, heard };
}

export function portsWith(saved: Json | undefined): {
  readonly ports: Ports;
  readonly bound: () => Json | undefined;
} {
  let value = saved;
  const binding: Ports["binding"] = {
    load: async () => value,
    save: async (next) => {
      value = next;
    },
  };
  return { ports: { ...portsOf([], new AbortController().signal), binding }, bound: () => value };
}

const namesOf = ({ side }: EndedEvent) => (side === undefined ? {} : { side });

function historyOf(said: string, answer: string): readonly Message[] {
  return [
    { role: "user", content: said },
    { role: "assistant", content: answer },
  ];
}

export const itemsOf = (events: readonly TurnEvent[]): readonly Item[] =>
  events.flatMap((event) => (event.type === "item" ? [event.item] : []));

const inWords = (item: Item): string => `${item.kind} ${item.kind === "call" ? item.output : item.text}`;
