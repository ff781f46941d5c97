import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { TurnEvent } from "../../src/core/events.ts";
import type { Message } from "../../src/core/messages.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { codexSwitches } from "../../src/host/codex/switches.ts";
import { suiteRuntime } from "../../src/runtimes/codex/codex.suite.ts";
import { askEphemeral } from "../../src/runtimes/codex/ephemeral.ts";
import type { Launch } from "../../src/runtimes/codex/process/launch.ts";
import { appServerPool } from "../../src/runtimes/codex/process/pool.ts";
import { hasAbility } from "../../src/runtimes/codex/process/version.ts";
import { type RealPlace, patience, realPlace } from "../../src/runtimes/codex/real-codex.suite.ts";
import type { Offer } from "../../src/runtimes/codex/thread-settings/offered-tools.ts";
import { portsOf, turnOf } from "../../src/runtimes/runtime.suite.ts";
import type { Ports, Runtime, Turn } from "../../src/runtimes/runtime.ts";
import { startRawProvider } from "../fakes/raw-provider.ts";
import { forbiddingPlace, notesIn, noticesIn } from "./forbidding-place.ts";
import { knownTools } from "./known-tools.ts";
import { calls, says, sse } from "./model-answers.ts";
import { lookAround, toolsIn } from "./tools-in-requests.ts";

/** One that codex runs in the classic way, one that writes code, and one that it has never heard of. */
const models = ["gpt-5.5", "gpt-6.1-sol", "somebody/own-model"];

/** One is shown, and the other only found by a search, so that there is one where the model can search at all. */
const offer: Offer = new Map([
  ["echo", "shown"],
  ["fail", "deferred"],
]);

/** Each kind of thread that we have, in the order in which they are tried. Each asks the model twice. */
const kinds = ["a new conversation", "the same in a new process", "a side turn or review", "a title"];

/** A person may have switched on whatever there is. */
export const ownWill = `approvals_reviewer = "auto_review"
suppress_unstable_features_warning = true
[features]
goals = true
multi_agent = true
memories = true
enable_fanout = true
send_message_to_user_async = true
multi_env_copy_file = true
request_permissions_tool = true
deferred_executor = true
executor_capability_discovery_v2 = true
[features.multi_agent_v2]
enabled = true
[features.token_budget]
enabled = true
`;

/** What codex offers its model is ours to say: every tool has a line in the table, on every kind of thread. */
export function codexToolsSuite(name: string, binary: string, version: string): void {
  describe(`what ${name} offers its model`, { concurrency: 2 }, () => {
    for (const model of models) {
      test(`${model} is offered nothing that is not in the table of known tools`, async () => {
        const seen = await toolsOf(binary, version, model);
        assert.deepEqual([...seen.keys()], kinds);
        for (const [kind, tools] of seen) {
          const unknown = [...tools].filter(
            (tool) => !Object.hasOwn(knownTools, tool) && !tool.startsWith("talaria."),
          );
          assert.deepEqual(unknown, [], `${kind}: ${whatToDo}`);
        }
        const [first, ...others] = [...seen.values()].map((tools) => tools.has("exec_command"));
        // Where nothing can be hidden from commands, there are none beside a conversation.
        const beside = hasAbility("profiles", version);
        assert.deepEqual([first, ...others], [true, true, beside, false], "the lists are read");
        assert.ok(seen.get(kinds[0] ?? "")?.has("talaria.echo"));
      });
    }

    test("a command that the deny list names is not run in its sandbox, and it is said", async () => {
      const denied = calls("exec_command", { cmd: "touch made; git push" });
      const replies = [[denied], [calls("exec_command", { cmd: "touch other" })], says("Done.")];
      const denying = codexSwitches([], ["git push*"], "/nonexistent");
      await using it = await forbiddingPlace({ binary, version, model: "gpt-5.5" }, denying, replies);
      const events = await it.turn();
      assert.deepEqual(it.made(), ["other"]);
      assert.match(notesIn(events).join("\n"), /^Not done: The deny list of the person says no/);
      // It has hooks, and no `hooks/list` that would say so.
      const confirmed = version !== "0.125.0";
      assert.equal(
        noticesIn(events).length,
        confirmed ? 0 : 1,
        "a codex that cannot confirm it is not trusted",
      );
    });
  });
}

const whatToDo =
  "codex offers tools that nobody has thought about. Find out who records them, who asks and when they end. If they act " +
  "by themselves, switch them off in src/runtimes/codex/process/autonomy-off.ts; else give each a line in test/codex-tools/known-tools.ts.";

async function toolsOf(
  binary: string,
  version: string,
  model: string,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const answers = kinds.flatMap(() => [{ body: sse(lookAround) }, { body: sse(says("Done.")) }]);
  await using raw = await startRawProvider(answers);
  await using place = await realPlace(binary);
  await writeFile(join(place.home, "config.toml"), ownWill);
  const launch = place.launch({ version, route: { name: "raw", url: raw.url, headers: {} }, model });
  await threadsOfAllKinds(place, launch, model);
  assert.equal(raw.requests.length, 2 * kinds.length, "nothing is asked of a model that is in no turn");
  return new Map(
    kinds.map((kind, at) => {
      const bodies = raw.requests.slice(2 * at, 2 * at + 2).map(({ body }) => body);
      return [kind, new Set(bodies.flatMap((body) => [...toolsIn(body)]))];
    }),
  );
}

async function threadsOfAllKinds(place: RealPlace, launch: Launch, model: string): Promise<void> {
  const ports = portsOf([], patience);
  const turn = { ...turnOf({ input: "hello" }), cwd: place.work };
  {
    await using runtime = suiteRuntime(launch, model, offer);
    await done(runtime.run(turn, ports));
  }
  await using runtime = suiteRuntime(launch, model, offer);
  await done(runtime.run({ ...turn, past: said(1), input: [{ type: "text", text: "again" }] }, ports));
  await done(beside(runtime, { ...turn, past: said(2) }, ports));
  await title(place, launch, model);
}

const beside = (runtime: Runtime, turn: Turn, ports: Ports): AsyncIterable<TurnEvent> => {
  assert.ok(runtime.sideTurn !== undefined);
  return runtime.sideTurn(turn, ports);
};

async function title(place: RealPlace, launch: Launch, model: string): Promise<void> {
  await using pool = appServerPool({ clock: systemClock, start: (each) => place.start(each) });
  const facts = { provider: "raw", loopRouteExists: false, network: false, mcpServers: {}, warnings: [] };
  const plan = { ...facts, launch, model };
  const question = { instructions: "Name it.", input: "the words" };
  const answer = await askEphemeral({ pool, clock: systemClock }, plan, question, patience);
  assert.ok("text" in answer, JSON.stringify(answer));
}

const said = (turns: number) => async () => ({
  history: Array.from({ length: turns }).flatMap((): Message[] => [
    { role: "user", content: "hello" },
    { role: "assistant", content: "Done." },
  ]),
});

async function done(events: AsyncIterable<TurnEvent>): Promise<void> {
  const last = (await Array.fromAsync(events)).at(-1);
  assert.ok(last?.type === "ended" && last.outcome === "done", JSON.stringify(last));
}
