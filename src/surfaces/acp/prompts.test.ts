import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Stopped } from "../../core/host.ts";
import { asId } from "../../core/ids.ts";
import { type Prompt, prompts } from "./prompts.ts";
import { clientOf } from "../../../test/fakes/client.ts";

function bench() {
  const stops: PromiseWithResolvers<Stopped>[] = [];
  const logged: string[] = [];
  const host = clientOf({
    "turns.stop": () => {
      const stop = Promise.withResolvers<Stopped>();
      stops.push(stop);
      return stop.promise;
    },
  });
  return { stops, logged, subject: prompts(host, asId("ses_1"), (line) => logged.push(line)) };
}

const stopped: Stopped = { interrupted: true, setAside: 0, ended: [] };
const never = new AbortController().signal;

describe("prompts and what stops them", () => {
  test("a Stop means the prompts before it, and what comes after it waits until it is over", async () => {
    const { subject, stops } = bench();
    const seen: Prompt[] = [];
    const work = (prompt: Prompt): Promise<void> => {
      seen.push(prompt);
      return new Promise(() => {});
    };
    void subject.run(never, work);
    await setImmediate();
    void subject.cancel();
    void subject.run(never, work);
    await setImmediate();
    assert.deepEqual(seen, [{ cancelled: true }]);
    stops[0]?.resolve(stopped);
    await setImmediate();
    assert.deepEqual(seen, [{ cancelled: true }, { cancelled: false }]);
  });

  test("one that is cancelled before its work could begin knows it", async () => {
    const { subject, stops } = bench();
    void subject.cancel();
    const told = subject.run(never, async ({ cancelled }) => cancelled);
    void subject.cancel();
    for (const stop of stops) stop.resolve(stopped);
    assert.equal(await told, true);
  });

  test("a request that is taken back is a Stop; one that is over is not", async () => {
    const { subject, stops } = bench();
    const request = new AbortController();
    const told = subject.run(request.signal, async () => "done");
    assert.equal(await told, "done");
    request.abort();
    assert.equal(stops.length, 0);
    const other = new AbortController();
    void subject.run(other.signal, () => new Promise(() => {}));
    other.abort();
    assert.equal(stops.length, 1);
  });

  test("a Stop that fails is logged and blocks nobody", async () => {
    const { subject, stops, logged } = bench();
    const cancelled = subject.cancel();
    stops[0]?.reject(new Error("no disk"));
    await cancelled;
    assert.equal(await subject.run(never, async () => "next"), "next");
    assert.match(logged.join(), /ses_1 could not be stopped: Error: no disk/);
  });
});
