import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { FaultError } from "../../core/faults.ts";
import { Refusal } from "../../core/host.ts";
import { parseCommand } from "./command.ts";
import { dispatch } from "./dispatch.ts";
import { call, failing, fakeHost, guest, noSession, say } from "./fake-host.suite.ts";
import { findSlash, slashCommands } from "../slash.ts";
import { runs } from "./table.ts";

const broken = (error: Error) => fakeHost({ over: { "sessions.compress": failing(error) } });

describe("a command line", () => {
  test("is one slash and a word; anything else is a message", () => {
    assert.deepEqual(parseCommand("/help new"), { name: "help", arg: "new" });
    assert.deepEqual(parseCommand("  /NEW "), { name: "new", arg: "" });
    assert.deepEqual(parseCommand("/?"), { name: "?", arg: "" });
    for (const text of ["hello", "//comment", "/usr/bin is a folder", "/ help", "a /help", "/"]) {
      assert.equal(parseCommand(text), undefined, text);
    }
  });

  test("finds a command by name, alias, or the beginning of a name, in any case", async () => {
    for (const line of ["/quit", "/QUIT", "/exit", "/q", "/qui", "/Ex"]) {
      assert.equal((await say(line)).quit, true, line);
    }
    // `continue` is another name of resume, but a name goes before an alias.
    assert.match((await say("/con")).text, /total/);
  });

  test("that could be several commands names them and does nothing", async () => {
    assert.equal(
      (await say("/s")).text,
      "/s could be /sessions, /stop, /steer, /skills, /status. Write more of it.",
    );
  });

  test("that is mistyped is answered with the nearest command, not sent to the model", async () => {
    for (const [line, meant] of [
      ["/sesions", "sessions"],
      ["/hlep", "help"],
      ["/modle", "model"],
    ] as const) {
      const { text, send } = await say(line);
      assert.equal(text, `There is no command ${line}. Did you mean /${meant}? /help lists all.`);
      assert.equal(send, undefined);
    }
    for (const far of ["/zzz", "/frob", "/xy"])
      assert.equal((await say(far)).text, `There is no command ${far}. /help lists them.`);
  });

  test("with arguments that a command does not take is explained", async () => {
    assert.match((await say("/status now")).text, /takes no arguments/);
  });

  test("is refused where it is not offered, and to whom it is not for", async () => {
    const telegram = { ...call, surface: "telegram" };
    assert.match((await say("/quit", fakeHost(), telegram)).text, /not available on telegram/);
    assert.match((await say("/qui", fakeHost(), telegram)).text, /no command \/qui/);
    assert.match((await say("/yolo on", fakeHost(), telegram)).text, /not available on telegram/);
    const editor = { ...call, surface: "acp" };
    assert.equal((await say("/yolo on", fakeHost(), editor)).text, "/yolo is not available in an editor.");
    assert.match((await say("/yolo on", fakeHost(), { ...call, by: guest })).text, /for the owner only/);
  });

  test("answers in words when the host refuses, fails, or has a bug", async () => {
    const fault = { code: "storage", message: "The disk is full.", next: "Make room." } as const;
    assert.equal(
      (await say("/compress", broken(new Refusal("busy", "It is busy.", "Wait.")))).text,
      "It is busy. Wait.",
    );
    assert.equal(
      (await say("/compress", broken(new FaultError(fault)))).text,
      "The disk is full. Make room.",
    );
    assert.match((await say("/compress", broken(new Error("oops")))).text, /unexpected error: oops/);
  });

  test("is answered whatever is typed", async () => {
    const names = slashCommands.flatMap(({ name, aliases }) => [name, ...aliases]);
    const word = fc.oneof(fc.constantFrom(...names), fc.string());
    const line = fc.oneof(
      fc.string({ unit: fc.anyCharacter }),
      fc.tuple(word, fc.string()).map(([name, arg]) => `/${name} ${arg}`),
    );
    const from = fc.constantFrom(
      call,
      noSession,
      { ...call, busy: true },
      { ...call, by: { ...guest, surface: "web" }, surface: "web" },
    );
    const host = fakeHost();
    await fc.assert(
      fc.asyncProperty(line, from, async (typed, where) => {
        assert.equal(typeof (await dispatch(typed, where, host)).text, "string");
      }),
      { numRuns: 500 },
    );
  });
});

describe("the commands", () => {
  test("have names and aliases that are all different and can be typed", () => {
    const names = slashCommands.flatMap((command) => [command.name, ...command.aliases]);
    assert.equal(new Set(names).size, names.length);
    for (const name of names) {
      assert.ok(findSlash(name), name);
      assert.deepEqual(parseCommand(`/${name}`), { name, arg: "" });
    }
  });

  test("are all there are to be", () => {
    const wanted =
      "new sessions resume title history retry undo fork stop queue steer agents ps goal cron work why compress context usage model reasoning runtime codex-runtime approve deny resend whoami approvals yolo kanban learned memory skills refine tools mcp diff status doctor record replay help quit";
    assert.deepEqual(slashCommands.map(({ name }) => name).toSorted(), wanted.split(" ").toSorted());
    assert.deepEqual(Object.keys(runs).toSorted(), wanted.split(" ").toSorted());
  });

  test("that change what the next turn works with wait for the running one, the others do not", async () => {
    const waiting = slashCommands.filter(({ busy }) => busy === "refused").map(({ name }) => name);
    const wanted = "new resume retry undo fork compress model reasoning runtime codex-runtime refine";
    assert.deepEqual(waiting.toSorted(), wanted.split(" ").toSorted());
    const host = fakeHost();
    for (const name of waiting) {
      assert.match(
        (await say(`/${name}`, host, { ...call, busy: true })).text,
        /has to wait: a turn is running/,
      );
    }
    assert.deepEqual(host.calls, []);
    assert.match((await say("/status", host, { ...call, busy: true })).text, /runtime/);
  });
});
