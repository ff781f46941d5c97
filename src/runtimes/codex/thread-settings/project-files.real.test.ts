import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { pinnedCodex } from "../../../../test/codex-schema/pinned-codex.ts";
import type { TurnEvent } from "../../../core/events.ts";
import { systemClock } from "../../../lib/clock.ts";
import { portsOf, turnOf } from "../../runtime.suite.ts";
import type { Message } from "../../../core/messages.ts";
import type { Ports, Runtime, Turn } from "../../runtime.ts";
import { codexRuntime } from "../codex.ts";
import type { CodexPlan } from "../plan.ts";
import { startAppServer } from "../process/app-server.ts";
import { appServerPool } from "../process/pool.ts";
import { type RealPlace, patience, realPlace } from "../real-codex.suite.ts";
import { listOf } from "../wire/fields.ts";

type Fixture = AsyncDisposable & {
  readonly real: RealPlace;
  readonly ports: Ports;
  /** The input that the model got last, item by item. */
  asked(): readonly string[];
  put(path: string, text: string): Promise<void>;
  /** Another process of ours, with the same session. */
  restart(): Promise<void>;
  turn(input: string, more?: Partial<Turn>): Promise<readonly TurnEvent[]>;
  review(): Promise<void>;
};

async function fixture(model: string, trust?: "trusted" | "untrusted"): Promise<Fixture> {
  await using opened = new AsyncDisposableStack();
  const real = opened.use(await realPlace(pinnedCodex()));
  const put: Fixture["put"] = async (path, text) => {
    await mkdir(dirname(join(real.work, path)), { recursive: true });
    await writeFile(join(real.work, path), text);
  };
  await put(".git/HEAD", "ref: refs/heads/main\n");
  if (trust !== undefined)
    await writeFile(join(real.home, "config.toml"), `[projects."${real.work}"]\ntrust_level = "${trust}"\n`);
  const plan: CodexPlan = {
    launch: real.launch(),
    provider: "demo",
    model,
    loopRouteExists: false,
    network: false,
    mcpServers: {},
    warnings: [],
  };
  let runtime = runtimeOf(plan);
  const kept = opened.move();
  kept.defer(() => runtime[Symbol.asyncDispose]());
  const ports = portsOf([], patience);
  const history: Message[] = [];
  return {
    real,
    ports,
    put,
    asked: () => listOf(real.model.requests.at(-1)?.body["input"]).map((item) => JSON.stringify(item)),
    async restart() {
      await runtime[Symbol.asyncDispose]();
      runtime = runtimeOf(plan);
    },
    async turn(input, more = {}) {
      const turn = { ...turnOf({ history: [...history], input }), cwd: real.work, ...more };
      const events = await run(runtime.run(turn, ports));
      history.push({ role: "user", content: turn.input }, { role: "assistant", content: "Understood." });
      return events;
    },
    async review() {
      const turn = { ...turnOf({ history: [...history], input: "look back" }), cwd: real.work };
      await run(runtime.sideTurn?.(turn, ports) ?? assert.fail("codex runs beside conversations"));
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function run(events: AsyncIterable<TurnEvent>): Promise<readonly TurnEvent[]> {
  const all = await Array.fromAsync(events);
  assert.partialDeepStrictEqual(all.at(-1), { type: "ended", outcome: "done" });
  return all;
}

function runtimeOf(plan: CodexPlan): Runtime {
  const processes = { add: async () => {}, remove: async () => {} };
  const options = { clock: systemClock, processes, optOut: [], clientVersion: "0.0.0" };
  const pool = appServerPool({
    clock: systemClock,
    start: (launch, signal) => startAppServer(launch, { ...options, signal }),
  });
  const frames = { listen: () => () => {} };
  return codexRuntime({ pool, plan: async () => plan, offer: new Map(), frames });
}

const skill = (name: string): string =>
  `---\nname: ${name}\ndescription: does ${name}-things\n---\nThe steps of ${name}.\n`;

/** How often the model was told something that looks like this. */
const times = (it: Fixture, text: string): number => it.asked().join("\n").split(text).length - 1;

const notices = (events: readonly TurnEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "notice" && event.code === "thread_seeded" ? [event.text] : []));

const rules = "AGENTS.md:\n\nUse capercaillie indentation.";
const said = "The project says how to work in it:";

for (const model of ["gpt-5.5", "gpt-6.1-sol"])
  describe(`files of a project on the real codex, ${model}`, { timeout: 120_000, concurrency: 2 }, () => {
    for (const trust of ["trusted", undefined] as const)
      test(`skills of a repository that codex has ${trust === undefined ? "not been told to trust" : "been told to trust"} do not reach the model by themselves; the person's own do`, async () => {
        await using it = await fixture(model, trust);
        await it.put(".agents/skills/evil/SKILL.md", skill("evil"));
        await it.put(".codex/skills/worse/SKILL.md", skill("worse"));
        await it.put("../home/skills/mine/SKILL.md", skill("mine"));
        await it.put("../.agents/skills/mine-too/SKILL.md", skill("mine-too"));
        const foreign = (): number =>
          times(it, "evil-things") + times(it, "worse-things") + times(it, "steps of");
        await it.turn("use $evil and $worse");
        assert.deepEqual([times(it, "mine-things"), times(it, "mine-too-things"), foreign()], [1, 1, 0]);
        await it.put(".agents/skills/late/SKILL.md", skill("late"));
        await it.turn("now use $late");
        assert.deepEqual([times(it, "late-things"), foreign()], [0, 0]);
        const before = it.asked();
        await it.review();
        assert.deepEqual([times(it, "late-things"), foreign()], [0, 0]);
        await it.restart();
        await it.turn("and $late again");
        assert.deepEqual([times(it, "mine-things"), times(it, "late-things"), foreign()], [1, 0, 0]);
        assert.deepEqual(it.asked().slice(0, before.length), before, "and the prompt begins as before");
      });

    for (const trust of ["trusted", "untrusted", undefined] as const)
      test(`what the project says is told by us, once, in a folder that codex has as ${trust ?? "unknown"}`, async () => {
        await using it = await fixture(model, trust);
        await it.put("AGENTS.md", "Use capercaillie indentation.");
        await it.put("../home/AGENTS.md", "The person likes grouse.");
        await it.turn("hello", { project: rules });
        assert.deepEqual([times(it, "capercaillie"), times(it, said), times(it, "grouse")], [1, 1, 1]);
        const first = it.asked();
        await it.turn("go on", { project: rules });
        await it.restart();
        await it.turn("and on", { project: rules });
        assert.equal(times(it, "capercaillie"), 1);
        assert.deepEqual(it.asked().slice(0, first.length), first, "byte for byte");
      });

    test("what the project says is left out when that is chosen, also of a thread that knew it", async () => {
      await using it = await fixture(model, "trusted");
      await it.put("AGENTS.md", "Use capercaillie indentation.");
      await it.turn("hello", { project: "" });
      assert.equal(times(it, "capercaillie"), 0);
      assert.deepEqual(notices(await it.turn("ptarmigan", { project: rules })), []);
      assert.equal(times(it, "capercaillie"), 1, "told with the turn that may know it");
      const without = notices(await it.turn("without it", { project: "" }));
      assert.match(without.join(), /^The project's instructions are now left out\. .* new codex thread/);
      assert.deepEqual([times(it, "capercaillie"), times(it, "ptarmigan")], [0, 1]);
    });

    test("a thread of before is told, and goes on", async () => {
      await using it = await fixture(model);
      await it.turn("hello", { project: rules });
      const { project: _, ...before } = (await it.ports.binding.load()) as {
        project?: string;
        thread: string;
      };
      await it.ports.binding.save(before);
      await it.restart();
      assert.deepEqual(notices(await it.turn("go on", { project: "AGENTS.md:\n\nUse grouse." })), []);
      await it.turn("and on", { project: "AGENTS.md:\n\nUse grouse." });
      assert.deepEqual([times(it, "Use grouse"), times(it, "hello")], [1, 1]);
    });
  });
