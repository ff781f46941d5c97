import { makeAgent } from "../agent/agent.ts";
import { hub } from "../agent/hub.ts";
import type { AgentDeps } from "../agent/index.ts";
import { type TitleDeps, titles } from "../agent/titles.ts";
import type { Config } from "../config/config.ts";
import { type Principal, localOwner } from "../core/principal.ts";
import type { BareOperation, Client } from "../core/calls.ts";
import type { Host, OpenClient } from "../core/host.ts";
import type { Setup } from "../core/maintenance.ts";
import type { Clock } from "../lib/clock.ts";
import { noLongerNeeded } from "../lib/no-longer-needed.ts";
import type { ReviewerWithNews } from "../learning/review/reviewer.ts";
import { type GoalDeps, goals, liveTasks } from "../work/index.ts";
import { asking, hostBroker } from "./approvals/broker.ts";
import { policySettings } from "./approvals/policy-settings.ts";
import { closing } from "./closing.ts";
import { type OpenHost, answering, openFoundation } from "./foundation.ts";
import { hostOf } from "./host.ts";
import { inProcess } from "../operations/in-process.ts";
import { bareHandlers, openParts } from "./operations/bare.ts";
import { type HostLearning, hostLearning } from "./learning/host-learning.ts";
import { type HostModels, hostModels } from "./models/models.ts";
import { repair } from "./repair.ts";
import { fileRecordings } from "./sessions/recordings.ts";
import { standing } from "./sessions/standing.ts";
import { workTools } from "./tools/work-tools.ts";
import { hostShell } from "./tools/shell.ts";
import { toolSwitches } from "./tools/switches.ts";
import { hostTools } from "./tools/tools.ts";
import { type HostWork, hostWork } from "./work/host-work.ts";

export type { OpenHost } from "./foundation.ts";

/** Joins everything and starts it. Disposing stops it in the opposite order. */
export async function openHost(options: OpenHost): Promise<Host> {
  await using stack = new AsyncDisposableStack();
  const foundation = await openFoundation(options, stack);
  const { loaded, clock, log, redact } = foundation;
  const policy = policySettings(loaded, options.env, options.homeDir);
  const switches = toolSwitches(loaded.config);
  const watchers = hub(log);
  const models = hostModels({ ...foundation, policy, switches, seams: options.seams });
  const { runtimes, auxiliary } = models;
  const broker = hostBroker({ ...foundation, policy, auxiliary, watchers, tieOf: options.seams?.tieOf });
  const shell = stack.use(hostShell({ ...foundation, settings: policy }));
  const tools = stack.use(hostTools({ ...foundation, auxiliary, shell, switches }));
  const { toolBox } = tools;
  const memory = hostLearning({ ...foundation, runtimes, toolBox, watchers });
  stack.use(memory.learned);
  const tasks = liveTasks(clock);
  const work = hostWork({ ...foundation, ...memory, runtimes, shell, toolBox }, stack);
  for (const runtime of Object.values(runtimes)) stack.use(runtime);
  await expectFirstTurn(runtimes, loaded.config.model.runtime, options, clock, stack);
  const agent = stack.use(
    makeAgent({
      ...foundation,
      ...models,
      watchers,
      toolBox,
      ready: tools.mcp.ready,
      ...settingsOfTurns(loaded.config, memory),
      asking: asking(broker, tasks),
      standing: standing({ ...foundation.store, clock }),
      ...withWork(runtimes, memory.reviews, work),
      endTurnWork: tasks.settled,
      background: shell,
      recording: fileRecordings(loaded.config.paths.recordings, clock, redact),
      answering,
    }),
  );
  toolBox.add(...workTools({ ...foundation, agent, tasks, work }), ...tools.further, memory.learning.tools);
  stack.use(memory.reviews);
  const beside = besideTurns({ ...foundation, agent, auxiliary, shell, watchers }, stack);
  const ending = stack.use(closing());
  await repair({ ...foundation, ...memory, broker, agent }, ending);
  if (options.executor === true) stack.use(await work.begin(agent));
  const owned = stack.move();
  return hostOf({
    ...foundation,
    open: openClient,
    ...models,
    ...tools,
    ...memory,
    policy,
    agent,
    broker,
    tasks,
    work,
    shell,
    ...beside,
    closing: ending,
    dispose: () => owned.disposeAsync(),
  });
}

/** Work runs on what people choose, or without a model; and they are told of it, and of reviews, beside a turn. */
const withWork = (
  runtimes: HostModels["runtimes"],
  reviews: ReviewerWithNews,
  work: HostWork,
): Pick<AgentDeps, "runtimes" | "news"> => ({
  runtimes: { ...runtimes, script: work.script },
  news: async (session, turn, surface, found) => [
    ...(await reviews.news(session.id, found?.hasReviews)),
    ...(await work.news(session, turn, surface, found?.hasOutcomes)),
  ],
});

/** What follows a turn, and does not keep the person waiting. */
const besideTurns = (needs: GoalDeps & TitleDeps, stack: AsyncDisposableStack) => ({
  goals: stack.use(goals(needs)),
  titling: stack.use(titles(needs)),
});

/** A codex that does not say its version for longer than this is for the turn to wait for. */
const expectingMs = 500;

/** What it starts goes on by itself, so all else waits for that: beside other work it would begin only after most of it. */
async function expectFirstTurn(
  runtimes: HostModels["runtimes"],
  byDefault: string,
  { firstTurn: turn }: OpenHost,
  clock: Clock,
  stack: AsyncDisposableStack,
): Promise<void> {
  if (turn === undefined) return;
  const [over, begun] = [new AbortController(), new AbortController()];
  stack.defer(() => over.abort());
  const late = clock.sleep(expectingMs, begun.signal).catch(() => {});
  await Promise.race([runtimes[turn.runtime ?? byDefault]?.expect?.(turn, over.signal), late]);
  begun.abort(noLongerNeeded);
}

const settingsOfTurns = (
  { turn: { budgetMs }, model }: Config,
  { learned: { recall }, prepare }: HostLearning,
): Pick<AgentDeps, "turnBudgetMs" | "recall" | "prepare" | "defaultRuntime"> => ({
  prepare,
  defaultRuntime: model.runtime,
  ...(budgetMs === undefined ? {} : { turnBudgetMs: budgetMs }),
  ...(recall === undefined ? {} : { recall }),
});

/** A host with one caller, which is closed with it. */
export async function openClient(options: OpenHost, caller: Principal): Promise<OpenClient> {
  const host = await openHost(options);
  return { ...host.as(caller), [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() };
}

/** For what needs no home that can be opened. */
export const openBare = (options: OpenHost, caller: Principal): Client<BareOperation> =>
  inProcess(bareHandlers(options, openClient), caller);

/** Tries a choice in a home of its own, which has no profiles. Loaded when it is used: most starts never need it. */
export async function openSetup({ profile, ...options }: OpenHost): Promise<Setup> {
  const open = (env: OpenHost["env"], cwd: string): Promise<OpenClient> =>
    openClient({ ...options, env, cwd }, localOwner("cli"));
  const named = profile === undefined ? {} : { profile };
  return (await import("../maintenance/setup/setup.ts")).openSetup({
    ...options,
    ...named,
    open,
    openParts,
  });
}
