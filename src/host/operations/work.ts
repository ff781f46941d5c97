import type { Handlers, Work } from "../../core/calls.ts";
import { Refusal } from "../../core/host.ts";
import { type Caller, type Principal, principalOf } from "../../core/principal.ts";
import { platforms } from "../../core/gateway/chat.ts";
import type { ChatSettings } from "../../config/gateway/settings.ts";
import type { NewSchedule, WorkStatus } from "../../core/work/work.ts";
import { unpricedText } from "../../operations/text/unpriced.ts";
import { knownPrices } from "../models/usage-access.ts";
import { storedEnding } from "../sessions/stored-ending.ts";
import type { Joined } from "./joined.ts";

/** What is done while nobody types. */
export function workHandlers(joined: Joined): Handlers<keyof Work> {
  const { work, store, clock, isGone, loaded, agent } = joined;
  return {
    async "cron.add"(wanted, caller) {
      localGrants(wanted, caller);
      knownTarget(wanted, loaded.config.gateway);
      return (await work.cron()).add(wanted, { by: principalOf(caller), byModel: false, depth: 1 });
    },
    "cron.list": async () => (await work.cron()).list(),
    async "cron.edit"({ id, change }, caller) {
      localGrants(change, caller);
      if (change.cwd !== undefined) await localFolder(store, id, caller);
      knownTarget(change, loaded.config.gateway);
      return (await work.cron()).edit(id, change);
    },
    "cron.pause": async ({ id }, caller) => (await work.cron()).pause(id, caller),
    "cron.resume": async ({ id }) => (await work.cron()).resume(id),
    "cron.run": async ({ id }) => (await work.cron()).run(id),
    "cron.remove": async ({ id }) => (await work.cron()).remove(id),
    "cron.runs": async ({ id, limit }) => (await work.cron()).runs(id, limit),
    "work.pause": async (_nothing, caller) => withPrices(joined, await (await work.cron()).pauseAll(caller)),
    "work.resume": async () => withPrices(joined, await (await work.cron()).resumeAll()),
    "work.status": async () => withPrices(joined, await (await work.cron()).status()),
    "batch.line": async (line, caller) =>
      (await work.batch(agent)).run(line, {
        by: principalOf(caller),
        runtimes: Object.keys(joined.runtimes),
        defaultRuntime: joined.runtime.current(),
        closing: joined.closing.signal,
        ended: (inbox, signal) => storedEnding(joined, inbox, signal),
      }),
    async "why.explain"({ id }, caller) {
      const { explain } = await import("../../work/why/why.ts");
      const { runnerOf } = await import("../../work/cron.ts");
      const runner = await runnerOf({ store, clock, isGone });
      return explain({ store, zone: loaded.config.work.zone, now: clock.now(), runner }, id, ownOf(caller));
    },
  };
}

/** Whoever is not the owner is told of what they have said themselves. */
const ownOf = (caller: Caller): Principal | undefined =>
  caller.role === "owner" ? undefined : principalOf(caller);

/** Nobody would ever be told in a chat app that is not set up. */
function knownTarget({ deliver, failures }: Partial<NewSchedule>, bots: ChatSettings): void {
  for (const target of [deliver, failures]) {
    if (target === undefined || target === "local") continue;
    const [surface] = target.split(":");
    const isKnown = platforms.some(
      (platform) => bots[platform] !== undefined && (target === "notify" || platform === surface),
    );
    if (!isKnown)
      throw new Refusal(
        "usage",
        `Nothing can be told at ${target}: ${target === "notify" ? "no chat app is" : `gateway.${surface} is not`} set up.`,
        "`talaria setup` sets a chat app up; local is your next terminal.",
      );
  }
}

/** A budget in USD that cannot count what is being spent must not look as if it did. */
function withPrices(joined: Joined, status: WorkStatus): WorkStatus {
  if (!status.budgets.some(({ key }) => key.endsWith(".usd"))) return status;
  const unpriced = unpricedText(knownPrices(joined), [undefined]);
  return unpriced === undefined ? status : { ...status, unpriced };
}

/** What a run may do without a question is allowed where nobody else can have said it. */
function localGrants({ script, allow = [], maySchedule }: Partial<NewSchedule>, { local }: Caller): void {
  if (local || (script === undefined && allow.length === 0 && maySchedule === undefined)) return;
  throw new Refusal(
    "refused",
    "A script, and what is allowed beforehand, runs without asking again, so it is allowed at this machine alone.",
    "Schedule it without, or at the machine.",
  );
}

/** In another folder the same words are another script or command than the one that was allowed. */
async function localFolder(store: Joined["store"], id: string, { local }: Caller): Promise<void> {
  if (local) return;
  const { named } = await import("../../work/cron.ts");
  const { name, job } = await named(store, id);
  if (job.script === undefined && job.allow.length === 0) return;
  throw new Refusal(
    "refused",
    `What “${name}” runs without asking is allowed in its folder, and in another one at this machine alone.`,
    "Change its folder at the machine.",
  );
}
