import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { asId } from "../../core/ids.ts";
import type { InputOf } from "../../core/calls.ts";
import type { StoredInput } from "../../core/session.ts";
import { call, fakeHost, noSession, say, text } from "./fake-host.suite.ts";

const turns = ["first", "second"].map((words) => ({ id: asId<"trn">(words), input: text(words) }));

describe("/retry", () => {
  test("leaves the last turn out and sends its message again, and says what stays", async () => {
    const host = fakeHost();
    const reply = await say("/retry", host);
    assert.deepEqual(host.calls, ['turns.undo {"session":"ses_here000001","turns":1}']);
    assert.deepEqual(reply.send, { input: text("second"), whenBusy: "queue" });
    assert.equal(reply.text, "Again: second\nWhat was done outside the conversation stays done.");
  });

  test("counts the changed files that stay", async () => {
    const host = fakeHost({ over: { "turns.undo": async () => ({ turns: turns.slice(1), changes: 2 }) } });
    assert.match((await say("/retry", host)).text, /2 changed files stay as they are/);
  });

  test("has nothing to send where nothing was said", async () => {
    const nothing = { text: "There is nothing to try again: nothing has been said yet." };
    assert.deepEqual(await say("/retry", fakeHost(), noSession), nothing);
    const host = fakeHost({ over: { "turns.undo": async () => ({ turns: [], changes: 0 }) } });
    assert.deepEqual(await say("/retry", host), nothing);
  });
});

describe("/undo", () => {
  test("leaves out one turn or several, and says how many files stay as they are", async () => {
    const host = fakeHost();
    assert.match(
      (await say("/undo", host)).text,
      /^Left out of the conversation: 1 turn, from "second" on\./,
    );
    const two = fakeHost({ over: { "turns.undo": async () => ({ turns, changes: 1 }) } });
    assert.match(
      (await say("/undo 2", two)).text,
      /2 turns, from "first" on\.\n1 changed file stays as it is.*\/undo back takes it in again/,
    );
    await say("/undo 3", host);
    assert.deepEqual(host.calls, [
      'turns.undo {"session":"ses_here000001","turns":1}',
      'turns.undo {"session":"ses_here000001","turns":3}',
    ]);
  });

  test("is taken back", async () => {
    const host = fakeHost();
    assert.equal((await say("/undo BACK", host)).text, 'Back in the conversation: 1 turn, from "second" on.');
    assert.deepEqual(host.calls, ['turns.redo {"session":"ses_here000001"}']);
  });

  test("does nothing where there is nothing, or for words it does not know", async () => {
    const empty = { turns: [], changes: 0 };
    const host = fakeHost({ over: { "turns.undo": async () => empty, "turns.redo": async () => empty } });
    assert.equal((await say("/undo", host)).text, "There is nothing left to undo.");
    assert.equal((await say("/undo back", host)).text, "There is nothing to take back in.");
    const untouched = fakeHost();
    for (const arg of ["0", "-1", "all", "1.5", "2 3"]) {
      assert.match((await say(`/undo ${arg}`, untouched)).text, /takes a number of turns, or back/, arg);
    }
    assert.match((await say("/undo", untouched, noSession)).text, /nothing to undo/);
    assert.deepEqual(untouched.calls, []);
  });
});

const stopped = async (interrupted: boolean, setAside: number): Promise<string> => {
  const host = fakeHost({ over: { "turns.stop": async () => ({ interrupted, setAside, ended: [] }) } });
  return (await say("/stop", host, { ...call, busy: true })).text;
};

describe("/stop", () => {
  test("says what was interrupted and what was set aside, or that nothing runs", async () => {
    assert.equal(await stopped(true, 0), "Stopped; what was finished is kept.");
    assert.match(await stopped(true, 2), /^Stopped;.*\nSet aside: 2 messages/);
    assert.match(await stopped(false, 1), /^Nothing ran\.\nSet aside: 1 message /);
    assert.equal(await stopped(false, 0), "Nothing runs, and nothing waits.");
    assert.equal((await say("/stop", fakeHost(), noSession)).text, "Nothing runs.");
  });
});

describe("/queue", () => {
  test("sends its text after the running turn", async () => {
    const busy = await say("/queue and  then this", fakeHost(), { ...call, busy: true });
    assert.deepEqual(busy.send, { input: text("and  then this"), whenBusy: "queue" });
    assert.match(busy.text, /waits in line/);
    assert.equal((await say("/queue now")).text, "");
  });

  test("without text lists what waits", async () => {
    const row = { input: text("later"), receivedAt: 60_000 } as unknown as StoredInput;
    const host = fakeHost({ over: { "inputs.waiting": async () => [row] } });
    assert.equal((await say("/queue", host)).text, "1  1970-01-01 00:01  later\n/stop sets it aside.");
    assert.equal((await say("/queue")).text, "Nothing waits.");
    assert.equal((await say("/queue", host, noSession)).text, "Nothing waits.");
  });

  test("what was set aside is listed whole, sent and dropped by its number", async () => {
    const rows = ["first\nline two", "second"].map(
      (words, at) => ({ id: `inb_${at}`, input: text(words), receivedAt: 60_000 }) as unknown as StoredInput,
    );
    const dropped: string[] = [];
    const drop = async ({ inbox }: InputOf<"inputs.drop">): Promise<boolean> => dropped.push(inbox) > 0;
    const host = fakeHost({ over: { "inputs.setAside": async () => rows, "inputs.drop": drop } });
    assert.equal(
      (await say("/queue", host)).text,
      "Nothing waits.\nSet aside, and not run by itself:\n1  1970-01-01 00:01  first\n   line two\n2  1970-01-01 00:01  second\n/queue send NUMBER sends one, /queue drop NUMBER or all removes it.",
    );
    assert.deepEqual((await say("/queue send 1", host)).send, {
      input: text("first\nline two"),
      whenBusy: "queue",
      again: "inb_0",
    });
    assert.match((await say("/queue send 3", host)).text, /no such message/);
    assert.match((await say("/queue send 0", host)).text, /no such message/);
    assert.match((await say("/queue send all", host)).text, /One at a time/);
    assert.equal((await say("/queue drop 2", host)).text, 'Dropped: "second".');
    await say("/queue drop all", host);
    assert.deepEqual(dropped, ["inb_1", "inb_0", "inb_1"]);
    assert.ok((await say("/queue send 1 copy", host)).send?.again === undefined);
  });
});

describe("/steer", () => {
  test("sends its text into the running turn, or as a message when none runs", async () => {
    const busy = await say("/steer not that file", fakeHost(), { ...call, busy: true });
    assert.deepEqual(busy, { text: "", send: { input: text("not that file"), whenBusy: "steer" } });
    assert.match((await say("/steer hello")).text, /No turn runs/);
  });

  test("wants words", async () => {
    assert.deepEqual(await say("/steer"), { text: "Write what the turn is to know: /steer TEXT." });
  });
});
