import { join } from "node:path";
import type { Agent, AgentDeps } from "../../agent/index.ts";
import type { Loaded } from "../../config/config.ts";
import type { Incoming, Sent } from "../../core/host.ts";
import { type Learned, learnedFileName } from "../../core/learning.ts";
import { makeCurator } from "../../learning/curator/curator.ts";
import { asRefusal } from "../../learning/files/troubles.ts";
import type { Reviewer } from "../../learning/index.ts";
import { learned } from "../../learning/learned/learned.ts";
import { useRecorder } from "../../learning/learned/uses.ts";
import { type BesideTurns, besideTurns } from "../../learning/provider/beside-turns.ts";
import { type MemoryProvider, providerName } from "../../learning/provider/memory-provider.ts";
import { takeLock } from "../../lib/guarded-file/lock-file.ts";
import { fenced } from "../../tools/net/fenced.ts";
import { unifiedDiff } from "../../tools/unified-diff.ts";
import type { Learning } from "./learning.ts";
import { countSentSkills } from "./skill-uses.ts";

export type LearnedParts = Pick<AgentDeps, "store" | "clock" | "log" | "redact"> & {
  readonly loaded: Loaded;
  readonly learning: Learning;
  /** Where Talaria was started. */
  readonly cwd: string;
  readonly reviewer: () => Pick<Reviewer, "now">;
  readonly tell: Agent["tell"];
};

/** What people see of learning, and what it does beside turns. Disposing waits for what is being written, not long. */
export type HostLearned = AsyncDisposable & {
  readonly learned: Learned;
  readonly asked: Pick<AgentDeps, "recall">;
  /** For every input that was taken. `stays`: this process does not end with the turn. Returns at once. */
  after(sent: Sent, incoming: Pick<Incoming, "input" | "choices">, stays: boolean): void;
};

export function hostLearned(parts: LearnedParts): HostLearned {
  const { store, clock, log, loaded, learning, cwd } = parts;
  const { home, paths, curator: settings } = loaded.config;
  const { files, skills, places } = learning;
  const lock = lockOf(join(paths.run, "learned.lock"), clock);
  const shared = { store, files, clock, log };
  const curator = makeCurator({ ...shared, skills: paths.skills, pinned: skills.pinned, settings, lock });
  const recordUses = useRecorder({ ...shared, places });
  const service = memoryService(parts);
  const under = new Set<Promise<unknown>>();
  let running = 0;

  const follow = async ({ session, ended }: Sent, memory: boolean, stays: boolean): Promise<void> => {
    running += 1;
    const how = await ended;
    running -= 1;
    if (how === undefined) return;
    if (memory) await recordUses(session, how.turn);
    if (memory && how.outcome === "done") service?.beside.after(session, how.turn);
    if (!stays || running > 0) return;
    await all.settleForgotten();
    for (const line of await curator.whenDue(() => running === 0)) {
      const text = `${line}. \`talaria skills rollback\` brings it back.`;
      if (!parts.tell(session, how.turn, { type: "notice", code: "learned", text })) log(text);
    }
  };

  const all = learned({
    store,
    files,
    skills,
    curator,
    lock,
    places,
    home,
    cwd,
    clock,
    leftOut: learning.suspicion,
    diff: (file, before, after) => differenceOf(learnedFileName(file), before, after),
    reviewer: { now: (session) => parts.reviewer().now(session) },
    caches: [join(paths.run, "skills.json")],
    ...(service === undefined ? {} : { elsewhere: [service.note] }),
  });

  return {
    learned: all,
    asked: service === undefined ? {} : { recall: service.recall },
    after(sent, { input, choices }, stays) {
      const done = Promise.all([
        follow(sent, choices?.memory !== false, stays),
        countSentSkills(store, clock, input, sent),
      ]);
      under.add(done);
      void done.finally(() => under.delete(done));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(under);
      await service?.beside[Symbol.asyncDispose]();
    },
  };
}

/** That of learned files; who waits in vain hears why. */
const lockOf = (file: string, clock: LearnedParts["clock"]) => (): Promise<AsyncDisposable> =>
  takeLock(file, clock).catch((error: unknown) => {
    throw asRefusal("skills", error);
  });

/** A removed file is shown like an emptied one. */
const differenceOf = (file: string, before: string | undefined, after: string | undefined): string =>
  before === undefined && after === undefined ? "" : unifiedDiff(file, before, after ?? "").text;

type Service = {
  readonly beside: BesideTurns;
  readonly recall: NonNullable<AgentDeps["recall"]>;
  readonly note: string;
};

/** The memory service that the settings name. */
function memoryService(parts: LearnedParts): Service | undefined {
  const { loaded, store, clock, redact, log } = parts;
  const { provider: chosen } = loaded.config.memory;
  if (chosen === undefined) return undefined;
  const { url, keyEnv } = chosen;
  const untold: string[] = [];
  const tell = (line: string): void => {
    log(line);
    untold.push(line);
  };
  const provider = lazyProvider(url, () => (keyEnv === undefined ? undefined : loaded.secret(keyEnv)));
  const beside = besideTurns({ provider, store, fenced, redact, clock, tell });
  return {
    beside,
    async recall(session, input, { memory = true }, signal) {
      const wanted = memory && session.parent === undefined;
      const context = wanted ? await beside.before(session, input, signal) : [];
      return { context, remarks: untold.splice(0) };
    },
    note: `The memory service ${provider.name} may have it: what it keeps is not Talaria's to remove.`,
  };
}

/** Loaded when it is used: the parser of its answers costs a tenth of a second. */
function lazyProvider(url: string, keyNow: () => string | undefined): MemoryProvider {
  const load = async (): Promise<MemoryProvider> => {
    const { httpProvider } = await import("../../learning/provider/http-provider.ts");
    const key = keyNow();
    return httpProvider({ url, ...(key === undefined ? {} : { key }) });
  };
  return {
    name: providerName(url),
    prefetch: async (...asked) => (await load()).prefetch(...asked),
    sync: async (...told) => (await load()).sync(...told),
  };
}
