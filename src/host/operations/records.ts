import type { Handlers, Records } from "../../core/calls.ts";
import type { Learned } from "../../core/learning.ts";
import { requireSession } from "../../agent/between-turns.ts";
import { approvalAccess, approvalByCode, rulesText } from "../approvals/approval-access.ts";
import { usageAccess } from "../models/usage-access.ts";
import { diffAccess } from "../sessions/diff.ts";
import { recordingAccess } from "../sessions/recordings.ts";
import { type SessionOperation, sessionAccess } from "../sessions/session-access.ts";
import type { Joined } from "./joined.ts";

export function records(joined: Joined): Handlers<keyof Records | SessionOperation> {
  const { store, owner, isGone, clock, broker, policy, shell, loaded, cwd } = joined;
  return {
    ...sessionAccess(store, owner, isGone, clock),
    ...approvalAccess(store, clock, async () => rulesText(policy, await shell.sandbox())),
    async "approvals.answer"({ approval, choice }, caller) {
      const id = approval.startsWith("apr_") ? approval : await approvalByCode(store.approvals, approval);
      return id === undefined ? { outcome: "unknown" } : broker.answer(id, choice, caller);
    },
    "inquiries.reply": ({ inquiry, answers }, caller) => broker.reply(inquiry, answers, caller),
    async *"events.follow"(wanted, _caller, signal = new AbortController().signal) {
      const { of } = wanted;
      // Of one that never was nothing would ever come, and its reader would not know why.
      if (of !== "all" && (await store.events.extent(of)).to === 0)
        await requireSession({ store }, of.session);
      yield* joined.agent.follow(wanted, signal);
    },
    "usage.total": ({ session }) => store.usage.sum({ session }),
    "usage.report": usageAccess(joined),
    "diff.show": diffAccess(joined),
    ...recordingAccess(loaded.config.paths.recordings, cwd),
    ...learnedRecords(joined.learned.learned),
  };
}

/** What was forgotten a day ago goes for good before anybody looks. */
function learnedRecords(
  learned: Learned,
): Handlers<Extract<keyof Records, `learned.${string}` | `memory.${string}` | `skills.${string}`>> {
  const settled = async (): Promise<Learned> => (await learned.settleForgotten(), learned);
  return {
    "learned.list": async (filter) => (await settled()).list(filter),
    async "learned.show"({ id }) {
      await settled();
      return { ...(await learned.get(id)), diff: await learned.diff(id) };
    },
    "learned.approve": async ({ id }) => (await settled()).approve(id),
    "learned.reject": async ({ id }) => (await settled()).reject(id),
    "learned.revert": async ({ id }) => (await settled()).revert(id),
    "learned.forgettable": async ({ text }) => (await settled()).forgettable(text),
    "learned.forget": async ({ text }) => (await settled()).forget(text),
    "learned.forgetForGood": async ({ text }) => (await settled()).forgetForGood(text),
    "learned.unforget": async ({ text }) => (await settled()).unforget(text),
    "learned.history": async ({ days }) => (await settled()).history(days),
    "learned.benefit": async () => (await settled()).benefit(),
    "memory.show": ({ cwd }) => learned.memory(cwd),
    "skills.list": ({ cwd }) => learned.skills(cwd),
    "skills.read": async ({ name, cwd }) => (await learned.skill(name, cwd)) ?? null,
  };
}
