import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TurnEvent } from "../../../core/events.ts";
import { captureLines, captureNames, endsOf, itemsOf, replayed, rowsOf } from "../captures.suite.ts";
import { replay } from "./replay.ts";

const kinds = (events: readonly TurnEvent[]): string =>
  events
    .filter((event) => event.type !== "delta" && event.type !== "usage")
    .map((event) => (event.type === "status" ? event.state : event.type))
    .join(" ");

describe("replay of recordings", () => {
  test("reads all recordings of the real codex", () => {
    assert.equal(captureNames.length, 150);
  });

  for (const name of captureNames) {
    test(`gives the same transcript every time: ${name}`, () => {
      const first = replayed(name);
      const rows = JSON.stringify(first.turns.map(({ events }) => rowsOf(events)));
      assert.equal(JSON.stringify(replayed(name).turns.map(({ events }) => rowsOf(events))), rows);
      for (const { events } of first.turns) {
        const said = events.map((event) => event.type);
        assert.equal(said.indexOf("started"), 0);
        assert.ok(endsOf(events).length <= 1, "a turn ends at most once");
        assert.ok(!said.includes("ended") || said.indexOf("ended") === said.length - 1, "`ended` comes last");
        const ids = itemsOf(events).map(({ id }) => id);
        assert.equal(new Set(ids).size, ids.length, "no item twice");
        assert.ok(itemsOf(events).every((item) => item.kind !== "call" || item.callId.startsWith("codex_")));
      }
    });
  }

  test("codex 0.166 says nothing that is not expected", () => {
    const strange = captureNames.filter((name) => /unexpected|unreadable/.test(replayed(name).summary));
    assert.deepEqual(strange, ["background-command", "interrupt-then-clean"]);
    assert.match(replayed("background-command").summary, /unexpected: late item ×1$/);
  });

  test("sees every turn that codex ended, ended in the same way", () => {
    const ends = captureNames.flatMap((name) => replayed(name).turns.flatMap(({ events }) => endsOf(events)));
    const completed = captureNames.flatMap((name) =>
      captureLines(name).flatMap(
        (line) => /"turn\/completed".*"status":"(\w+)","error"/.exec(line)?.[1] ?? [],
      ),
    );
    const lost = ends.filter(({ fault }) => fault?.code === "lost");
    assert.equal(ends.length - lost.length, completed.length);
    assert.equal(
      ends.filter(({ outcome }) => outcome === "done").length,
      completed.filter((status) => status === "completed").length,
    );
    assert.equal(
      ends.filter(({ outcome }) => outcome === "interrupted").length,
      completed.filter((status) => status === "interrupted").length,
    );
  });

  test("tells a turn in the order in which it happened", () => {
    const [turn] = replayed("commentary-phase").turns;
    assert.equal(
      kinds(turn!.events),
      "started thinking begin item begin tool item thinking begin item ended",
    );
  });

  test("a process that dies under a turn ends it as lost, with what was seen of it", () => {
    const [, turn] = replayed("resume-after-kill9-command").turns;
    const [ended] = endsOf(turn!.events);
    assert.equal(ended?.outcome, "failed");
    assert.equal(ended?.fault?.code, "lost");
    assert.match(ended?.fault?.message ?? "", /SIGKILL/);
    const call = itemsOf(turn!.events).at(-1);
    assert.ok(call?.kind === "call" && !call.ok);
    assert.match(call.output, /not finished: codex ended/);
  });

  test("a turn that goes on when the recording stops has no end", () => {
    const lines = captureLines("plain-text");
    const cut = lines.slice(
      0,
      lines.findIndex((line) => line.includes('"turn/completed"')),
    );
    const { turns, summary } = replay(cut);
    assert.equal(endsOf(turns[0]!.events).length, 0);
    assert.match(summary, /^1 turn: 1 without end; 1 item$/);
  });

  test("clients that share one codex are told apart", () => {
    const { turns } = replayed("transport-unix");
    assert.deepEqual([...new Set(turns.map(({ client }) => client))], ["A", "B", "C", "D"]);
    const [a, b] = turns.filter(({ events }) => endsOf(events)[0]?.text === "second");
    assert.equal(a?.turnId, b?.turnId);
    assert.deepEqual(
      itemsOf(a!.events).map(({ id }) => id),
      itemsOf(b!.events).map(({ id }) => id),
    );
  });

  test("lines that are none are counted and change nothing", () => {
    const lines = captureLines("command-noapproval");
    const torn = lines.flatMap((line) => [
      line,
      line.slice(0, 30),
      "",
      "null",
      '{"ms":1,"dir":"up","msg":1}',
    ]);
    const { turns, summary } = replay(torn);
    assert.deepEqual(turns, replay(lines).turns);
    assert.match(summary, new RegExp(`unreadable lines: ${3 * lines.length}$`));
  });
});
