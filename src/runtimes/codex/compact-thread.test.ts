import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pinnedCodex } from "../../../test/codex-schema/pinned-codex.ts";
import { demoScript } from "../../../test/fakes/demo-replies.ts";
import { codexHome } from "../../../test/fakes/real-codex-home.ts";
import type { TurnEvent } from "../../core/events.ts";
import type { Json } from "../../core/json.ts";
import type { Message } from "../../core/messages.ts";
import { systemClock } from "../../lib/clock.ts";
import { type DemoModel, startDemoModel } from "../../../test/fakes/demo-model.ts";
import { type ModelReply, portsOf, turnOf } from "../runtime.suite.ts";
import type { Ports, Runtime, Turn } from "../runtime.ts";
import { suiteRuntime } from "./codex.suite.ts";
import { launchOptions } from "./process/launch.ts";

describe("shortening on codex, the real one", () => {
  test("is done on the session's thread, which goes on with its summary", async () => {
    await using fixture = await codexPlace("One.", "SUMMARY-OF-CODEX", "Two.");
    const { runtime, ports, model } = fixture;
    assert.match(JSON.stringify(await runtime.compact?.(turnOf({}), ports)), /no thread of this session yet/);
    await run(runtime, turnOf({ input: "first question" }), ports);
    const history: readonly Message[] = [
      { role: "user", content: "first question" },
      { role: "assistant", content: "One." },
    ];
    const before = fixture.bound();
    const came = await runtime.compact?.(turnOf({ history }), ports);
    assert.ok(came !== undefined && "done" in came, JSON.stringify(came));
    assert.deepEqual(fixture.bound(), before, "it is the same thread");
    const events = await run(runtime, turnOf({ history, input: "second question" }), ports);
    assert.ok(events.some((event) => event.type === "ended" && event.text === "Two."));
    const last = JSON.stringify(model.requests.at(-1)?.body);
    assert.match(last, /SUMMARY-OF-CODEX/);
    assert.doesNotMatch(last, /"One\."/);
    assert.doesNotMatch(JSON.stringify(events), /thread_seeded/);
  });

  test("that fails is a fault, and the thread goes on as it was", async () => {
    await using fixture = await codexPlace("One.", 500, "Two.");
    const { runtime, ports } = fixture;
    await run(runtime, turnOf({ input: "first question" }), ports);
    const history: readonly Message[] = [
      { role: "user", content: "first question" },
      { role: "assistant", content: "One." },
    ];
    const came = await runtime.compact?.(turnOf({ history }), ports);
    assert.ok(came !== undefined && "code" in came, JSON.stringify(came));
    const events = await run(runtime, turnOf({ history, input: "second question" }), ports);
    assert.ok(events.some((event) => event.type === "ended" && event.text === "Two."));
    assert.match(JSON.stringify(fixture.model.requests.at(-1)?.body), /"One\."/);
  });

  test("a new thread of a shortened session is told the shorter history", async () => {
    await using fixture = await codexPlace("Done.");
    const history: readonly Message[] = [
      { role: "user", content: "begin" },
      { role: "assistant", content: "OLD-WORDS" },
    ];
    const view: readonly Message[] = [
      { role: "user", content: "begin" },
      { role: "assistant", content: "SUMMARY-OF-OURS" },
    ];
    await run(
      fixture.runtime,
      { ...turnOf({ input: "go on" }), past: async () => ({ history, view }) },
      fixture.ports,
    );
    const seen = JSON.stringify(fixture.model.requests.at(-1)?.body);
    assert.match(seen, /SUMMARY-OF-OURS/);
    assert.doesNotMatch(seen, /OLD-WORDS/);
  });
});

type Fixture = AsyncDisposable & {
  readonly runtime: Runtime;
  readonly ports: Ports;
  readonly model: DemoModel;
  bound(): Json | undefined;
};

/** A number is a status with which the model refuses. */
async function codexPlace(...replies: readonly (string | 500)[]): Promise<Fixture> {
  await using opened = new AsyncDisposableStack();
  const home = opened.use(await codexHome());
  const script = demoScript(
    replies.map((reply): ModelReply => (typeof reply === "string" ? { says: reply } : { httpStatus: reply })),
  );
  const model = opened.use(await startDemoModel({ clock: systemClock, script }));
  const launch = launchOptions({
    binary: pinnedCodex(),
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: "/nonexistent", TMPDIR: "/tmp" },
    route: { name: "scripted", url: model.url, headers: {} },
    retries: { request: 0, stream: 0 },
    isolated: { codexHome: home.path },
  });
  const runtime = opened.use(suiteRuntime(launch, "gpt-5.5"));
  let bound: Json | undefined;
  const binding: Ports["binding"] = {
    load: async () => bound,
    save: async (value) => {
      bound = value;
    },
  };
  const ports = { ...portsOf([], AbortSignal.timeout(60_000), () => {}), binding };
  const kept = opened.move();
  return { runtime, ports, model, bound: () => bound, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const run = (runtime: Runtime, turn: Turn, ports: Ports): Promise<readonly TurnEvent[]> =>
  Array.fromAsync(runtime.run(turn, ports));
