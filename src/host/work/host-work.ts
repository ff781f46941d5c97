import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Agent } from "../../agent/index.ts";
import type { NoticeEvent } from "../../core/events.ts";
import type { Session } from "../../core/session.ts";
import { type SessionId, type TurnId, asId } from "../../core/ids.ts";
import type { Runtime } from "../../runtimes/runtime.ts";
import { scriptRuntime } from "../../runtimes/script/script.ts";
import { isFolder } from "../../lib/files/is-folder.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import type { CardRuns } from "../../work/card-runs/card-runs.ts";
import type { BatchLines } from "../../work/batch/lines.ts";
import type { Cron } from "../../work/cron.ts";
import type { Dispatcher, WorkSource } from "../../work/dispatch/dispatcher.ts";
import type { ScheduleDefaults, SkillReader } from "../../work/make-schedule.ts";
import { hostTie } from "../approvals/broker.ts";
import { ownersSurfaces } from "../foundation.ts";
import { type CardParts, cardWork, joinedSource } from "./card-work.ts";

type Needs = CardParts & {
  readonly runtimes: Readonly<Record<string, Runtime>>;
  readonly learned: { readonly learned: { readonly skill: SkillReader } };
};

/** Work that nobody typed, in this process. Its modules are loaded when they are used: most starts never need them. */
export type HostWork = {
  cron(): Promise<Cron>;
  /** What became of work, for the owner at a terminal. `hasNews`: what the store says, where it was asked already. */
  news(session: Session, turn: TurnId, surface: string, hasNews?: boolean): Promise<readonly NoticeEvent[]>;
  /** That of this turn was shown at a surface. */
  shown(turn: TurnId, surface: string): void;
  /** Begins what is due from now on. Only for the executor of a home. */
  begin(agent: Agent): Promise<Dispatcher>;
  /** What this process has changed may have made something due. */
  changed(): void;
  /** Prompts of batches, which whoever asks for them waits for: also where no executor is. */
  batch(agent: Agent): Promise<BatchLines>;
  /** Begins nothing more. */
  stop(): void;
  /** Runs what is to be done without a model. */
  readonly script: Runtime;
};

/** What it has begun is waited for with `stack`: make it before the agent, whose turns that are. */
export function hostWork(needs: Needs, stack: AsyncDisposableStack): HostWork {
  const { store, loaded, clock, log, isGone, executing } = needs;
  const settings = loaded.config.work;
  const closing = new AbortController();
  let dispatcher: Dispatcher | undefined;
  let cards: CardRuns | undefined;
  let lines: BatchLines | undefined;
  stack.defer(async () => {
    await Promise.all([dispatcher?.settled(), lines?.settled()]);
    await cards?.release();
  });
  const stop = (): void => {
    closing.abort(noLongerNeeded);
    dispatcher?.stop();
  };
  const batch = async (agent: Agent): Promise<BatchLines> => {
    const { batchLines } = await import("../../work/batch/lines.ts");
    lines ??= batchLines({ store, agent, settings, isFolder, clock, log });
    return lines;
  };
  return {
    async cron() {
      const { cron } = await import("../../work/cron.ts");
      return cron({
        store,
        settings,
        defaults: scheduleDefaults(needs),
        clock,
        isGone,
        changed: () => dispatcher?.changed(),
      });
    },
    ...toldNews(needs, stack),
    async begin(agent) {
      const { inProcessDispatcher } = await import("../../work/dispatch/in-process.ts");
      const { workSource } = await import("../../work/runner.ts");
      const { skill } = needs.learned.learned;
      const schedules = workSource({ store, agent, settings, isFolder, hashOf, skill, clock, log });
      const others: WorkSource = {
        ...schedules,
        run: async (input) =>
          input.work?.origin === "batch" ? (await batch(agent)).take(input) : schedules.run(input),
      };
      cards = await cardWork(needs, agent, closing.signal);
      const { maxConcurrent, workers } = settings;
      const source = joinedSource(others, cards, maxConcurrent);
      const made = inProcessDispatcher({ ...needs, source, most: maxConcurrent + workers });
      executing?.replaced.addEventListener("abort", stop, { once: true });
      dispatcher = made;
      return { ...made, stop, [Symbol.asyncDispose]: () => (stop(), made[Symbol.asyncDispose]()) };
    },
    batch,
    changed: () => dispatcher?.changed(),
    stop,
    script: scriptRuntime({ scriptOf: (session) => scriptIn(needs, session), run: needs.shell.check }),
  };
}

/** With the end of `stack` what was shown is in the store. */
function toldNews(
  { store, loaded, log }: Pick<Needs, "store" | "loaded" | "log">,
  stack: AsyncDisposableStack,
): Pick<HostWork, "news" | "shown"> {
  const settings = loaded.config.work;
  const telling = new Set<Promise<void>>();
  stack.defer(async () => void (await Promise.all(telling)));
  return {
    async news(session, turn, surface, hasNews) {
      if (hasNews === false || session.audience !== "owner" || !ownersSurfaces.has(surface)) return [];
      return (await import("../../work/news.ts")).workNews({ store, settings, log }, turn);
    },
    shown(turn, surface) {
      if (!ownersSurfaces.has(surface)) return;
      const told = store.outcomes.told(turn).catch((error: unknown) => log(`news of work: ${String(error)}`));
      telling.add(told);
      void told.then(() => telling.delete(told));
    },
  };
}

/** Only of a run that has not ended: what is said in its session later is not run. */
async function scriptIn({ store }: Pick<Needs, "store">, session: SessionId) {
  const run = await store.outcomes.ofSession(session);
  if (run?.state !== "planned") return undefined;
  const job = (await store.schedules.get(asId<"sch">(run.subject)))?.job;
  return job?.script && { command: job.script.command, cwd: job.cwd };
}

const hashOf = (path: string): Promise<string | undefined> =>
  readFile(path).then(
    (content) => createHash("sha256").update(content).digest("hex"),
    () => undefined,
  );

function scheduleDefaults({ loaded, cwd, runtimes, options, ...needs }: Needs): ScheduleDefaults {
  const { work, model } = loaded.config;
  const tieOf = options.seams?.tieOf ?? hostTie(needs);
  return {
    zone: work.zone,
    cwd,
    runtime: model.runtime,
    ...(model.name === undefined ? {} : { model: model.name }),
    runtimes: Object.keys(runtimes),
    isFolder,
    hashOf,
    skill: needs.learned.learned.skill,
    bind: async (command, folder) => {
      const action = { kind: "command", command, fence: "none" } as const;
      return (await tieOf({ action, cwd: folder }, folder)) ?? {};
    },
  };
}
