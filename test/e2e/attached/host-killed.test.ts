import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hangs, says, talariaOn } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { noPty } from "../screen/pty.ts";
import { chatOn, running } from "../screen/tui.ts";
import { endServing, serving } from "./serving.ts";

const unaccounted = { unaccounted: "what a killed host had asked for is nobody's to count" };

describe("when one end of the socket is killed", { concurrency: 2 }, () => {
  test("a message whose host dies is kept once, the person is told, and the next one goes on alone", async () => {
    await using it = await talariaOn([hangs("Half an answer"), says("Whole.")], unaccounted);
    const host = await serving(it);
    const child = await it.start(["run", "first"]);
    await child.shows(/Half an answer/);
    host.signal("SIGKILL");
    const { code, stderr } = await child.finished;
    assert.match(stderr, /The host that ran this has gone/);
    assert.equal(code, 130);
    const next = await it.run(["run", "--continue", "second"]);
    assert.deepEqual([next.code, next.stdout], [0, "Whole.\n"]);
    const [session, ...others] = await onDisk(it.home);
    assert.deepEqual(others, []);
    assert.deepEqual(session?.turns, ["interrupted", "done"]);
    assert.equal(session?.said.filter((line) => line === "user first").length, 1);
  });

  test("a chat goes on with another host that was started meanwhile", { skip: noPty }, async () => {
    await using it = await talariaOn([says("One."), says("Two.")], unaccounted);
    const first = await serving(it);
    await using screen = await chatOn(it);
    screen.say("first");
    await screen.shows(/One\.\n· /);
    first.signal("SIGKILL");
    await first.finished;
    await screen.shows("The host that ran this has gone");
    const second = await serving(it);
    screen.say("second");
    await screen.shows(/Two\.\n· /);
    const [session] = await onDisk(it.home);
    assert.deepEqual(session?.said, ["user first", "assistant One.", "user second", "assistant Two."]);
    second.signal("SIGTERM");
  });

  test(
    "a chat moves on from a host that is being stopped and still works for others",
    { skip: noPty },
    async () => {
      await using it = await talariaOn([says("One."), hangs("Half an answer"), says("Two.")], unaccounted);
      const host = await serving(it, {}, "--drain");
      await using screen = await chatOn(it);
      screen.say("first");
      await screen.shows(/One\.\n· /);
      const other = await it.start(["run", "another session"]);
      await other.shows(/Half an answer/);
      host.signal("SIGTERM");
      await host.shows(/"event":"stopping"/);
      screen.say("second");
      await screen.shows(/Two\.\n· /);
      assert.match(screen.text(), /The host that ran this is being stopped\. Going on without it\./);
      const said = (await onDisk(it.home)).map((session) => session.said);
      assert.deepEqual(
        said.find((lines) => lines.includes("user first")),
        ["user first", "assistant One.", "user second", "assistant Two."],
      );
      other.signal("SIGINT");
      assert.equal((await other.finished).code, 130);
      assert.equal((await host.finished).code, 0);
    },
  );

  test(
    "a screen that has moved on from a host sees the end of the turn that still ran there",
    { skip: noPty },
    async () => {
      await using it = await talariaOn([says("One."), hangs("Half an answer")], unaccounted);
      const host = await serving(it, {}, "--drain");
      await using left = await chatOn(it);
      left.say("first");
      await left.shows(/One\.\n· /);
      await using right = await chatOn(it, ["--continue"]);
      left.say("second");
      for (const screen of [left, right]) await screen.shows("Half an answer");
      host.signal("SIGTERM");
      await host.shows(/"event":"stopping"/);
      right.say("third");
      await right.shows("is busy in another process");
      left.press("ctrl+c");
      await right.shows(/interrupted; what was finished is kept/);
      await right.gone(running);
      assert.doesNotMatch(right.all(), /went on elsewhere/);
      assert.equal((await host.finished).code, 0);
    },
  );

  test("a turn ends well without the program that sent it", async () => {
    const slow = { reply: [{ text: "It takes " }, { slow: { ms: 300 } }, { text: "a while." }] };
    await using it = await talariaOn([slow]);
    const host = await serving(it, {}, "--drain");
    const child = await it.start(["run", "hello"]);
    await child.shows(/It takes/);
    child.signal("SIGKILL");
    await child.finished;
    host.signal("SIGTERM");
    await host.finished;
    const [session] = await onDisk(it.home);
    assert.deepEqual(session?.turns, ["done"]);
    assert.deepEqual(session?.said, ["user hello", "assistant It takes ", "assistant a while."]);
  });

  test("Ctrl+C of an attached command stops its turn in the host", async () => {
    await using it = await talariaOn([hangs("Half an answer")]);
    const host = await serving(it);
    const child = await it.start(["run", "first"]);
    await child.shows(/Half an answer/);
    child.signal("SIGINT");
    assert.equal((await child.finished).code, 130);
    assert.deepEqual((await onDisk(it.home))[0]?.turns, ["interrupted"]);
    assert.deepEqual(await endServing(host), ["cli"]);
  });
});
