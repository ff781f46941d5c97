import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { says, scriptedRuntime } from "../../../test/fakes/scripted-runtime.ts";
import { type TestHome, input, sessionOf, testHome, watch } from "../../../test/fakes/test-agent.ts";
import type { NoticeEvent } from "../../core/events.ts";
import { FaultError } from "../../core/faults.ts";
import type { SessionId } from "../../core/ids.ts";
import { tellAfterTurn } from "./after-turn.ts";

/** The log of a session as one word each; notices by their text. */
async function logged({ disk }: TestHome, session: SessionId): Promise<readonly string[]> {
  const { events } = await disk.events.after({ session }, 0, 100);
  return events.map(({ event }) => (event.type === "notice" ? event.text : event.type));
}

const notice = (text: string): NoticeEvent => ({ type: "notice", code: "n", text });

describe("what a person is told is in the event log", () => {
  test("also when the item that it should be kept with could not be kept", async () => {
    await using home = await testHome();
    const fault = { code: "storage", message: "The disk is full.", next: "Free some space." } as const;
    const { disk } = home;
    const agent = await home.open(
      scriptedRuntime(async function* (turn) {
        yield notice("by the way");
        yield* says("an answer", turn);
      }),
      { store: { ...disk, turns: { ...disk.turns, keep: () => Promise.reject(new FaultError(fault)) } } },
    );
    const { session, ended } = await agent.send(input("hello"));
    assert.equal((await ended)?.fault?.code, "storage");
    assert.deepEqual(await logged(home, session), ["began", "started", "by the way", "ended"]);
  });

  test("with the end of a turn that has left something running", async () => {
    await using home = await testHome();
    const running = [{ id: "p1", command: "serve", since: 1 }];
    const agent = await home.open(
      scriptedRuntime((turn) => says("done", turn)),
      { background: { running: () => running, endRunning: async () => running } },
    );
    const { session, ended } = await agent.send(input("hello"));
    assert.deepEqual((await ended)?.running, running);
    const [, , , told, end] = await logged(home, session);
    assert.match(told ?? "", /^Still running: `serve`/);
    assert.equal(end, "ended");
  });

  test("after the end of a turn, and others who follow the session hear of it", async () => {
    await using home = await testHome();
    const here = await home.open(scriptedRuntime((turn) => says("done", turn)));
    const there = await home.open(
      scriptedRuntime((turn) => says("done", turn)),
      { pid: 200 },
    );
    const first = input("hello");
    const session = sessionOf(first);
    const heard = watch(here, session);
    const told: string[] = [];
    there.subscribe(session, (event) => event.type === "notice" && told.push(event.text), "person", true);
    const end = await (await here.send(first)).ended;
    const tell = tellAfterTurn({ ...here, clock: home.clock, log: assert.fail });
    assert.ok(end !== undefined && tell(session, end.turn, notice("learned something")));
    assert.equal(heard.events.at(-1)?.type, "notice");
    // Behind the write that was asked for.
    await here.store.meta.set("note", "x");
    assert.deepEqual((await logged(home, session)).slice(-2), ["ended", "learned something"]);
    await there.catchUp(session);
    assert.deepEqual(told, ["learned something"]);
  });

  test("but not what nobody has heard: that is said with the next turn", async () => {
    await using home = await testHome();
    const agent = await home.open(scriptedRuntime((turn) => says("done", turn)));
    const { session, ended } = await agent.send(input("hello"));
    const end = await ended;
    const tell = tellAfterTurn({ ...agent, clock: home.clock, log: assert.fail });
    assert.equal(end && tell(session, end.turn, notice("learned something")), false);
    await agent.store.meta.set("note", "x");
    assert.equal((await logged(home, session)).at(-1), "ended");
  });
});
