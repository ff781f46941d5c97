import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fakeClock } from "../../../../test/fakes/fake-clock.ts";
import type { Chat } from "../chat.ts";
import { keyboard } from "./keyboard.ts";
import { approvalOf, bench, keys } from "../questions/bench.suite.ts";
import type { QuestionPanel } from "../questions/panel.ts";
import type { Screen } from "../screen.ts";

const [ctrlC, ctrlD, escape] = ["\u0003", "\u0004", "\u001B"];

/** A keyboard at a screen of plain functions. `did` has what came of the keys, in order. */
async function pressed(
  options: { readonly typed?: string; readonly running?: boolean; readonly panel?: QuestionPanel } = {},
) {
  const clock = fakeClock();
  const did: string[] = [];
  let { typed = "", running = false } = options;
  let listen: ((data: string) => unknown) | undefined;
  const screen = {
    tui: {
      addInputListener: (listener: (data: string) => unknown) => {
        listen = listener;
        return () => {};
      },
    },
    view: {},
    prompt: { isEmpty: () => typed === "", setText: (text: string) => void (typed = text) },
    panel: () => options.panel,
    isPicking: () => false,
    status: ({ hint }: { hint?: string }) => void did.push(`hint ${hint ?? ""}`),
    repaint: () => {},
  } as unknown as Screen;
  const chatState = {
    stop: () => {
      if (running) did.push("stop");
      const stopped = running;
      running = false;
      return stopped;
    },
  } as Chat;
  const leave = (): void => void did.push("leave");
  const abandon = (): void => void did.push("abandon");
  keyboard({ screen, chat: Promise.resolve(chatState), clock, leave, abandon });
  await Promise.resolve();
  return { clock, did, press: (key: string) => listen?.(key), typed: () => typed };
}

describe("Ctrl+C", () => {
  test("stops what runs, and a second one soon after leaves", async () => {
    const { press, did } = await pressed({ running: true });
    press(ctrlC);
    assert.deepEqual(did, ["stop"]);
    press(ctrlC);
    assert.deepEqual(did, ["stop", "leave"]);
  });

  test("clears the prompt, which is not the first of two", async () => {
    const { press, did, typed } = await pressed({ typed: "half a thought" });
    press(ctrlC);
    assert.equal(typed(), "");
    press(ctrlC);
    assert.deepEqual(did, ["hint Ctrl+C again leaves"]);
  });

  test("later than two seconds after the first begins anew", async () => {
    const { press, did, clock } = await pressed();
    press(ctrlC);
    await clock.advance(2_100);
    press(ctrlC);
    assert.ok(!did.includes("leave"));
    press(ctrlC);
    assert.equal(did.at(-1), "leave");
  });

  test("while it is leaving does not wait any longer", async () => {
    const { press, did } = await pressed();
    for (let times = 0; times < 3; times += 1) press(ctrlC);
    assert.deepEqual(did.slice(-2), ["leave", "abandon"]);
  });
});

test("Ctrl+D leaves from an empty prompt only, and Escape stops from there", async () => {
  const full = await pressed({ typed: "x", running: true });
  for (const key of [ctrlD, escape]) full.press(key);
  assert.deepEqual(full.did, []);
  const empty = await pressed({ running: true });
  for (const key of [escape, ctrlD]) empty.press(key);
  assert.deepEqual(empty.did, ["stop", "leave"]);
});

test("what was meant for a question that somebody else has answered goes nowhere, and stops nothing", async () => {
  const it = bench();
  const { press, did } = await pressed({ running: true, panel: it.panel });
  it.ask();
  await it.wait();
  const decision = { choice: "once", why: "person", by: "ada" };
  it.say({ type: "approval", approval: { ...approvalOf(), decision } });
  for (const key of ["2", keys.enter, escape, ctrlD]) assert.deepEqual(press(key), { consume: true });
  assert.deepEqual(did, []);
  await it.wait();
  assert.equal(press("2"), undefined);
  press(escape);
  assert.deepEqual(did, ["stop"]);
});
