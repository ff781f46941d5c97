import { join } from "node:path";
import type { Hub } from "../../agent/hub.ts";
import type { AgentDeps } from "../../agent/index.ts";
import type { Incoming, Sent } from "../../core/host.ts";
import { skillsOfInput } from "../../core/skill-input.ts";
import { type Learned, learnedFileName } from "../../core/learning.ts";
import { makeCurator } from "../../learning/curator/curator.ts";
import { asRefusal } from "../../learning/files/write-refusals.ts";
import type { Reviewer } from "../../learning/index.ts";
import { learned } from "../../learning/learned/learned.ts";
import { useRecorder } from "../../learning/learned/uses.ts";
import { type MemoryService, openMemoryService } from "../../learning/provider/memory-service.ts";
import { type MemoryProvider, providerName } from "../../learning/provider/memory-provider.ts";
import { takeLock } from "../../lib/guarded-file/lock-file.ts";
import { delimited } from "../../core/text/delimited.ts";
import { unifiedDiff } from "../../tools/files/unified-diff.ts";
import type { Foundation } from "../foundation.ts";
import type { Learning } from "./learning.ts";

type LearnedParts = Foundation & {
  readonly learning: Learning;
  readonly reviewer: Pick<Reviewer, "now">;
  readonly tell: Hub["tell"];
};

/** What people see of learning, and what it does beside turns. Disposing waits for what is being written, not long. */
export type HostLearned = AsyncDisposable & {
  readonly learned: Learned;
  readonly recall?: AgentDeps["recall"];
  /** For every input that was taken. Returns at once. */
  after(sent: Sent, incoming: Pick<Incoming, "input" | "choices">): void;
};

export function hostLearned(parts: LearnedParts): HostLearned {
  const { store, clock, log, loaded, learning, cwd } = parts;
  const { home, paths, curator: settings } = loaded.config;
  const { files, skills, memoryFiles } = learning;
  const lock = lockOf(join(paths.run, "learned.lock"), clock);
  const shared = { store, files, clock, log };
  const curator = makeCurator({ ...shared, skills: paths.skills, pinned: skills.pinned, settings, lock });
  const recordUses = useRecorder({ ...shared, memoryFiles });
  const service = memoryService(parts);
  const inFlight = new Set<Promise<unknown>>();
  let running = 0;

  const follow = async ({ session, ended }: Sent, memory: boolean): Promise<void> => {
    running += 1;
    const end = await ended;
    running -= 1;
    if (end === undefined) return;
    if (memory && !learning.prompts.toldNothing(session)) await recordUses(session, end.turn);
    if (memory && end.outcome === "done") service?.beside.after(session, end.turn);
    if (!parts.longLived || running > 0) return;
    await all.settleForgotten();
    for (const line of await curator.whenDue(() => running === 0)) {
      const text = `${line}. \`talaria skills rollback\` brings it back.`;
      if (!parts.tell(session, end.turn, { type: "notice", code: "learned", text })) log(text);
    }
  };

  const all = learned({
    store,
    files,
    skills,
    curator,
    lock,
    memoryFiles,
    home,
    cwd,
    clock,
    leftOut: learning.suspicion,
    diff: (file, before, after) => differenceOf(learnedFileName(file), before, after),
    reviewer: parts.reviewer,
    caches: [join(paths.run, "skills.json")],
    ...(service === undefined ? {} : { elsewhere: [service.note] }),
  });

  return {
    learned: all,
    ...(service === undefined ? {} : { recall: service.recall }),
    after(sent, { input, choices }) {
      const done = Promise.all([
        follow(sent, choices?.memory !== false),
        countSentSkills(parts, input, sent),
      ]);
      inFlight.add(done);
      void done.finally(() => inFlight.delete(done));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(inFlight);
      await service?.beside[Symbol.asyncDispose]();
    },
  };
}

/** Counts the skills that a person sent along with a message for the turn that took it. Never rejects. */
async function countSentSkills(
  { store, clock }: LearnedParts,
  [first]: Incoming["input"],
  { session, ended }: Sent,
): Promise<void> {
  const names = first?.type === "text" ? skillsOfInput(first.text).names : [];
  const turn = names.length === 0 ? undefined : (await ended)?.turn;
  if (turn === undefined) return;
  const at = clock.now();
  const uses = [...new Set(names)].map((name) => ({ kind: "skill" as const, name, session, turn, at }));
  await store.learnedUses.add(uses).catch(() => {}); // a number, and not worth an error
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
  readonly beside: MemoryService;
  readonly recall: NonNullable<AgentDeps["recall"]>;
  readonly note: string;
};

/** The memory service that the settings name. */
function memoryService(parts: LearnedParts): Service | undefined {
  const { loaded, store, clock, redact, log } = parts;
  const { provider: chosen } = loaded.config.memory;
  if (chosen === undefined) return undefined;
  const { url, keyEnv } = chosen;
  const pendingRemarks: string[] = [];
  const tell = (line: string): void => {
    log(line);
    pendingRemarks.push(line);
  };
  const provider = lazyProvider(url, () => (keyEnv === undefined ? undefined : loaded.secret(keyEnv)));
  const beside = openMemoryService({ provider, store, delimited, redact, clock, tell });
  return {
    beside,
    async recall(session, input, { memory = true }, signal) {
      const wanted = memory && session.parent === undefined && session.audience === "owner";
      const context = wanted ? await beside.before(session, input, signal) : [];
      return { context, remarks: pendingRemarks.splice(0) };
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
    sync: async (...given) => (await load()).sync(...given),
  };
}
