import type { Ask, Decision, Question } from "../core/asking.ts";
import { withoutShell } from "../core/call-words.ts";
import { type StoredGrant, grantedCommandKey, grantedToolKey } from "../core/ledger.ts";
import { actionHash, isExact } from "./action-hash.ts";
import { advised } from "./advice.ts";
import type { Announcer } from "./announcer.ts";
import { askPerson } from "./ask-person.ts";
import type { AskingTurn, Shared } from "./broker-types.ts";
import {
  type PendingQuestion,
  type Outcome,
  failed,
  recordDecision,
  recordUnused,
  withdrawn,
} from "./case.ts";
import { questionWithdrawn } from "./stale-question.ts";
import { judge } from "./policy/policy.ts";
import { boundOf, changedFiles, isSameTie } from "./tie.ts";

/**
 * Asks for one turn. Fails closed: whatever goes wrong is a No with its reason, and once the signal has aborted there is
 * no Yes any more. A yes that came just then stays in the ledger as what the person said, and a second row after it says
 * that it was not used; so each granted row without such a second one was handed on, once.
 */
export function makeAsk(shared: Shared, turn: AskingTurn, announce: Announcer): Ask {
  return async (question, signal, call) => {
    if (signal.aborted) return withdrawn(questionWithdrawn(shared.clock.now()).reason);
    try {
      const folder = await shared.folderId(question.cwd);
      const hash = actionHash(question, folder);
      const verdict = judge(question, turn, shared.settings);
      const tie = verdict.grantable ? await shared.tieOf(question, turn.folder) : undefined;
      const pending: PendingQuestion = { shared, turn, question, signal, folder, hash, tie, verdict, call };
      const { decision, row, asked } = await decide(pending, announce);
      const unused = decision.choice === "deny" ? undefined : await whyUnused(pending, asked);
      const last = unused === undefined ? decision : withdrawn(unused);
      if (asked) announce.decided(row, last);
      if (unused !== undefined) await recordUnused(pending, row, unused);
      return last;
    } catch (error) {
      shared.log(`a question about ${question.tool} could not be decided: ${String(error)}`);
      return failed(error);
    }
  };
}

/** The policy, then a standing grant, then a small model where that is wanted, then a person. */
async function decide(pending: PendingQuestion, announce: Announcer): Promise<Outcome> {
  const { question, verdict } = pending;
  if (verdict.verdict === "allow") return recordDecision(pending, { choice: "once", why: "policy" });
  const { grant, unusable } = await matchingGrant(pending);
  if (grant !== undefined) return recordDecision(pending, byGrant(grant));
  if (verdict.verdict === "ask")
    return (await advised(pending, announce)) ?? askPerson(pending, announce, unusable);
  const reason = unusable === undefined ? verdict.reason : `${verdict.reason}; ${unusable}`;
  announce.refused(question, { ...verdict, reason });
  return recordDecision(pending, { choice: "deny", why: verdict.why, reason });
}

const byGrant = ({ scope, by }: StoredGrant): Decision => ({
  choice: scope === "session" ? "session" : "once",
  why: "grant",
  by,
});

/** Checked last of all, and the signal after everything that takes time. */
async function whyUnused(pending: PendingQuestion, asked: boolean): Promise<string | undefined> {
  const changed = asked ? await whatChanged(pending).catch(() => "what it would work on") : undefined;
  if (pending.signal.aborted) return questionWithdrawn(pending.shared.clock.now()).reason;
  if (changed === undefined) return undefined;
  return `not allowed: ${changed} is not the one it was when the question was asked`;
}

async function whatChanged({
  shared,
  turn,
  question,
  folder,
  tie,
  verdict,
}: PendingQuestion): Promise<string | undefined> {
  if ((await shared.folderId(question.cwd)) !== folder) return "the folder";
  const now = verdict.grantable ? await shared.tieOf(question, turn.folder) : undefined;
  if (isSameTie(tie, now)) return undefined;
  return changedFiles(boundOf(tie) ?? {}, boundOf(now) ?? {})[0] ?? "what it would run";
}

/** `unusable`: why a grant for the same words does not apply. */
type GrantMatch = { readonly grant?: StoredGrant; readonly unusable?: string };

/** A grant for exactly this action, with the files it was given for. */
async function matchingGrant(pending: PendingQuestion): Promise<GrantMatch> {
  const { shared, turn, question, hash, tie, verdict } = pending;
  // Without exactly known content the hash would stand for other actions too.
  if (!verdict.grantable || !isExact(question)) return {};
  const at = shared.clock.now();
  const bound = boundOf(tie);
  const alone = turn.attended === "none" && leavesSandbox(question, verdict.labels);
  if (tie === undefined || bound !== undefined) {
    const grant = await shared.store.grants.use({
      hash,
      session: turn.session,
      at,
      ...(bound === undefined ? {} : { bound }),
      ...(alone ? { scope: "work" } : {}),
    });
    if (grant !== undefined) return { grant };
  }
  const allowed = turn.attended === "none" ? await grantedToWork(pending, at) : undefined;
  if (allowed !== undefined) return { grant: allowed };
  const given = (await shared.store.grants.list({ at, hash })).find(
    (each) => each.scope === "always" || each.session === turn.session,
  );
  return given === undefined ? {} : { unusable: alone ? unattendedReason : whyUnusable(given, pending) };
}

/**
 * A command that somebody has allowed beforehand for just this piece of work, word for word, and as long as it means the same
 * programs, or a tool. Its other arguments were not known then, so it has no hash.
 */
async function grantedToWork(
  { shared, turn, question: { action, cwd, tool } }: PendingQuestion,
  at: number,
): Promise<StoredGrant | undefined> {
  const { session } = turn;
  if (action.kind === "tool")
    return shared.store.grants.use({ hash: grantedToolKey(tool), session, at, scope: "work" });
  if (action.kind !== "command") return undefined;
  const command = withoutShell(action.command);
  const tie = await shared.tieOf({ action: { kind: "command", command, fence: "none" }, cwd }, turn.folder);
  const bound = boundOf(tie);
  if (tie !== undefined && bound === undefined) return undefined;
  return shared.store.grants.use({
    hash: grantedCommandKey(command, cwd),
    session,
    at,
    scope: "work",
    ...(bound === undefined ? {} : { bound }),
  });
}

/** Does it act outside the sandbox? A tool is called with exactly what was shown, so it does not count. */
function leavesSandbox({ action }: Question, labels: readonly string[]): boolean {
  switch (action.kind) {
    case "command":
      return action.fence !== "sandbox";
    case "change":
      return labels.includes("outside-write") || labels.includes("sensitive-write");
    case "permissions":
      return true;
    case "tool":
      return false;
  }
}

const unattendedReason = "a standing yes to leave the sandbox does not hold where nobody is";

function whyUnusable({ bound }: StoredGrant, { tie }: PendingQuestion): string {
  const now = boundOf(tie);
  if (now === undefined || bound === undefined)
    return "your earlier yes was not tied to the files that this runs";
  const changed = changedFiles(bound, now);
  return `not what it was when you allowed this: ${changed.slice(0, 3).join(", ")}${changed.length > 3 ? ` and ${changed.length - 3} more` : ""}`;
}
