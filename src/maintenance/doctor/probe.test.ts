import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { Refusal } from "../../core/host.ts";
import { type Finding, type Probe, fine, lookAt } from "./probe.ts";

const never = new AbortController().signal;

const probe = (name: string, look: Probe["look"]): Probe => ({ name, look });

test("all look at once, and are told in their order whoever is first", async () => {
  const first = Promise.withResolvers<readonly Finding[]>();
  const begun: string[] = [];
  const told = Array.fromAsync(
    lookAt(
      [
        probe("a", () => (begun.push("a"), first.promise)),
        probe("b", async () => (begun.push("b"), [fine("b", "here"), fine("b", "and there")])),
        probe("c", async () => []),
      ],
      fakeClock(),
      never,
    ),
  );
  assert.deepEqual(begun, ["a", "b"]);
  first.resolve([fine("a", "at last")]);
  assert.deepEqual(
    (await told).map(({ name, detail }) => [name, detail]),
    [
      ["a", "at last"],
      ["b", "here"],
      ["b", "and there"],
    ],
  );
});

test("one that hangs is told as such when its time is over, and is asked to stop", async () => {
  const clock = fakeClock();
  let stopped = false;
  const hanging: Probe = {
    name: "slow",
    limitMs: 5000,
    look: (signal) =>
      new Promise(() => {
        signal.addEventListener("abort", () => (stopped = true));
      }),
  };
  const told = Array.fromAsync(
    lookAt([hanging, probe("next", async () => [fine("next", "fine")])], clock, never),
  );
  await clock.advance(5000);
  const [slow, next] = await told;
  assert.partialDeepStrictEqual(slow, { name: "slow", ok: false, detail: "no answer within 5 s" });
  assert.ok((slow?.next ?? "") !== "");
  assert.equal(next?.ok, true);
  assert.equal(stopped, true);
  assert.equal(clock.pending(), 0);
});

test("one that breaks is a line with its reason, and the others are told", async () => {
  const told = await Array.fromAsync(
    lookAt(
      [
        probe("broken", async () => {
          throw new Refusal("storage", "No such thing.", "Make one.");
        }),
        probe("other", async () => [fine("other", "fine")]),
      ],
      fakeClock(),
      never,
    ),
  );
  assert.deepEqual(told, [
    { name: "broken", ok: false, detail: "No such thing.", next: "Make one." },
    fine("other", "fine"),
  ]);
});

test("leaving ends the look at once", async () => {
  const stop = new AbortController();
  const told = Array.fromAsync(
    lookAt([probe("slow", () => new Promise(() => {}))], fakeClock(), stop.signal),
  );
  stop.abort(new Error("left"));
  await assert.rejects(told, /left/);
});
