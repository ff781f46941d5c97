import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../test/seeded.ts";
import type { TurnEvent } from "../core/events.ts";
import { type ItemId, asId } from "../core/ids.ts";
import type { CallItem, Item } from "../core/items.ts";
import type { Json } from "../core/json.ts";
import type { Message } from "../core/messages.ts";
import { args, events, rowsOf } from "./arbitrary.suite.ts";
import { project, startProjection } from "./projector.ts";

const id = (name: string): ItemId => asId<"itm">(name);
const said = (...items: readonly Item[]): TurnEvent[] => items.map((item) => ({ type: "item", item }));
const text = (name: string, words: string): Item => ({ id: id(name), kind: "text", text: words });
const thinking = (name: string, words: string): Item => ({ id: id(name), kind: "thinking", text: words });
const call = (more: Partial<CallItem> = {}): CallItem => ({
  id: id("i1"),
  kind: "call",
  callId: "codex_exec_i1",
  tool: "exec_command",
  args: { command: "ls", cwd: "/repo" },
  output: "README.md\n",
  ok: true,
  ...more,
});

const contentOf = (more: Partial<CallItem>) => rowsOf(said(call(more))).at(-1)?.content;

describe("what an item becomes", () => {
  test("a text is one assistant row", () => {
    assert.deepEqual(rowsOf(said(text("i1", "Hello."))), [{ role: "assistant", content: "Hello." }]);
  });

  test("a note of what was done is one assistant row in brackets, and what was thought waits on", () => {
    const note = { id: id("i2"), kind: "note", text: "Searched the web: owls" } as const;
    const items = [thinking("i1", "Look."), { ...note, history: true } as const, text("i3", "Found.")];
    assert.deepEqual(rowsOf(said(...items)), [
      { role: "assistant", content: "[Searched the web: owls]" },
      { role: "assistant", content: "Found.", reasoning: "Look." },
    ]);
    assert.deepEqual(rowsOf(said(note)), []);
  });

  test("a call is an assistant row directly followed by its tool row", () => {
    assert.deepEqual(rowsOf(said(call())), [
      {
        role: "assistant",
        content: "",
        toolCalls: [
          { id: "codex_exec_i1", name: "exec_command", arguments: '{"command":"ls","cwd":"/repo"}' },
        ],
      },
      { role: "tool", toolCallId: "codex_exec_i1", content: "README.md\n" },
    ]);
  });

  test("an exit code other than 0 stands on a first line of its own", () => {
    assert.equal(contentOf({ exitCode: 2, output: "no such file" }), "[exit 2]\nno such file");
    assert.equal(contentOf({ exitCode: 137, output: "" }), "[exit 137]");
    assert.equal(contentOf({ exitCode: 0, output: "fine" }), "fine");
    assert.equal(contentOf({ ok: false, output: "declined" }), "declined");
  });

  test("thinking is attached to the next assistant row, text or call, and only to that", () => {
    const rows = rowsOf(
      said(thinking("t1", "Look first."), thinking("t2", "Carefully."), call(), text("i2", "Done.")),
    );
    assert.deepEqual(
      rows.map((row) => (row.role === "assistant" ? row.reasoning : row.role)),
      ["Look first.\n\nCarefully.", "tool", undefined],
    );
  });

  test("thinking after the last row is dropped", () => {
    assert.deepEqual(rowsOf(said(text("i1", "Done."), thinking("t1", "Was that all?"))), [
      { role: "assistant", content: "Done." },
    ]);
  });

  test("blank text makes no row and lets thinking wait on", () => {
    const rows = rowsOf(said(thinking("t1", "Hm."), text("i1", " \n"), text("i2", "Yes.")));
    assert.deepEqual(rows, [{ role: "assistant", content: "Yes.", reasoning: "Hm." }]);
  });

  test("an item that is told again makes no second row and takes no reasoning away", () => {
    const rows = rowsOf(
      said(
        text("i1", "One."),
        thinking("t1", "Hm."),
        text("i1", "One."),
        thinking("t1", "Hm."),
        text("i2", "Two."),
      ),
    );
    assert.deepEqual(rows, [
      { role: "assistant", content: "One." },
      { role: "assistant", content: "Two.", reasoning: "Hm." },
    ]);
  });

  test("arguments nested deeper than the stack do not end the turn", () => {
    let deep: Json = [];
    for (let n = 0; n < 100_000; n += 1) deep = [deep];
    assert.equal(rowsOf(said(call({ args: deep }))).length, 2);
  });
});

describe("any stream of events", () => {
  test("gives the same bytes each time", () => {
    fc.assert(
      fc.property(events, (stream) => {
        assert.equal(JSON.stringify(rowsOf(stream)), JSON.stringify(rowsOf(structuredClone(stream))));
      }),
    );
  });

  test("gives the same bytes whatever the order of keys in arguments", () => {
    fc.assert(
      fc.property(args, (value) => {
        assert.equal(
          JSON.stringify(rowsOf(said(call({ args: value })))),
          JSON.stringify(rowsOf(said(call({ args: keysReversed(value) })))),
        );
      }),
    );
  });

  test("only ever appends rows", () => {
    fc.assert(
      fc.property(events, fc.nat(24), (stream, cut) => {
        const early = rowsOf(stream.slice(0, cut));
        assert.deepEqual(rowsOf(stream).slice(0, early.length), early);
      }),
    );
  });

  test("leaves the state it came from as it was", () => {
    fc.assert(
      fc.property(events, events, (before, after) => {
        const state = before.reduce((now, event) => project(now, event)[0], startProjection());
        const step = (event: TurnEvent) => JSON.stringify(project(state, event)[1]);
        assert.deepEqual(after.map(step), after.map(step));
      }),
    );
  });

  test("makes rows of each text, call and note of what was done once, in order, and of nothing else", () => {
    fc.assert(
      fc.property(events, (stream) => {
        const items = stream.flatMap((event) => (event.type === "item" ? [event.item] : []));
        const firsts = items.filter((item, at) => items.findIndex((other) => other.id === item.id) === at);
        assert.deepEqual(rowsOf(stream).map(withoutReasoning), firsts.flatMap(plainRows));
      }),
    );
  });

  test("keeps each thought at most once, and only before what it led to", () => {
    fc.assert(
      fc.property(fc.nat(6), fc.nat(6), (thoughts, texts) => {
        const items = [
          ...Array.from({ length: thoughts }, (_, n) => thinking(`t${n}`, `thought ${n}`)),
          ...Array.from({ length: texts }, (_, n) => text(`i${n}`, `text ${n}`)),
        ];
        const kept = rowsOf(said(...items)).map((row) =>
          row.role === "assistant" ? row.reasoning : undefined,
        );
        const whole = Array.from({ length: thoughts }, (_, n) => `thought ${n}`).join("\n\n");
        const expected = Array.from({ length: texts }, (_, n) =>
          n === 0 && whole !== "" ? whole : undefined,
        );
        assert.deepEqual(kept, expected);
      }),
    );
  });
});

/** What an item's rows have to be, said once more in the plainest way. */
function plainRows(item: Item): readonly (readonly string[])[] {
  if (item.kind === "text" && item.text.trim() !== "") return [["assistant", item.text]];
  if (item.kind === "note" && item.history === true && item.text.trim() !== "")
    return [["assistant", `[${item.text.trim()}]`]];
  if (item.kind !== "call") return [];
  const exit = item.exitCode === undefined || item.exitCode === 0 ? "" : `[exit ${item.exitCode}]`;
  const content = exit !== "" && item.output !== "" ? `${exit}\n${item.output}` : `${exit}${item.output}`;
  return [
    ["assistant", "", item.callId, item.tool],
    ["tool", content, item.callId],
  ];
}

function withoutReasoning(row: Message): readonly string[] {
  if (row.role === "tool") return [row.role, row.content, row.toolCallId];
  const calls = row.role === "assistant" ? (row.toolCalls ?? []) : [];
  return [row.role, String(row.content), ...calls.flatMap((one) => [one.id, one.name])];
}

function keysReversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(keysReversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, keysReversed(inner as Json)]),
  );
}
