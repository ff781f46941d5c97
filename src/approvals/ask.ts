import type { Ask, Decision } from "../core/asking.ts";
import type { StoredGrant } from "../core/ledger.ts";
import { actionHash } from "./action-hash.ts";
import { advised } from "./advice.ts";
import type { Announcer } from "./announcer.ts";
import { askPerson } from "./ask-person.ts";
import type { AskingTurn, Shared } from "./broker-parts.ts";
import { type Case, type Outcome, failed, noteDecided, noteUnused, withdrawn } from "./case.ts";
import { nobodyWaits } from "./left-over.ts";
import { judge } from "./policy/policy.ts";
import { standingYes } from "./standing-yes.ts";
import { boundOf, changedFiles, isSameTie } from "./tie.ts";

/**
 * Asks for one turn. Fails closed: whatever goes wrong is a No with its reason, and once the signal has aborted there is
 * no Yes any more. A yes that came just then stays in the ledger as what the person said, and a second row after it says
 * that it was not used; so each granted row without such a second one was handed on, once.
 */
export function makeAsk(shared: Shared, turn: AskingTurn, announce: Announcer): Ask {
  return async (question, signal, call) => {
    if (signal.aborted) return withdrawn(nobodyWaits(shared.clock.now()).reason);
    try {
      const folder = await shared.folderId(question.cwd);
      const hash = actionHash(question, folder);
      const verdict = judge(question, turn, shared.settings);
      const tie = verdict.grantable ? await shared.tieOf(question, turn.folder) : undefined;
      const one: Case = { shared, turn, question, signal, folder, hash, tie, verdict, call };
      const { decision, row, asked } = await decide(one, announce);
      const unused = decision.choice === "deny" ? undefined : await whyUnused(one, asked);
      const last = unused === undefined ? decision : withdrawn(unused);
      if (asked) announce.decided(row, last);
      if (unused !== undefined) await noteUnused(one, row, unused);
      return last;
    } catch (error) {
      shared.log(`a question about ${question.tool} could not be decided: ${String(error)}`);
      return failed(error);
    }
  };
}

/** The policy, then a standing grant, then a small model where that is wanted, then a person. */
async function decide(one: Case, announce: Announcer): Promise<Outcome> {
  const { question, verdict } = one;
  if (verdict.verdict === "allow") return noteDecided(one, { choice: "once", why: "policy" });
  const { grant, unusable } = await standingYes(one);
  if (grant !== undefined) return noteDecided(one, byGrant(grant));
  if (verdict.verdict === "ask") return (await advised(one, announce)) ?? askPerson(one, announce, unusable);
  const reason = unusable === undefined ? verdict.reason : `${verdict.reason}; ${unusable}`;
  announce.refused(question, { ...verdict, reason });
  return noteDecided(one, { choice: "deny", why: verdict.why, reason });
}

const byGrant = ({ scope, by }: StoredGrant): Decision => ({
  choice: scope === "session" ? "session" : "once",
  why: "grant",
  by,
});

/** Looked at last, and the signal after everything that takes time. */
async function whyUnused(one: Case, asked: boolean): Promise<string | undefined> {
  const changed = asked ? await whatChanged(one).catch(() => "what it would work on") : undefined;
  if (one.signal.aborted) return nobodyWaits(one.shared.clock.now()).reason;
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
}: Case): Promise<string | undefined> {
  if ((await shared.folderId(question.cwd)) !== folder) return "the folder";
  const now = verdict.grantable ? await shared.tieOf(question, turn.folder) : undefined;
  if (isSameTie(tie, now)) return undefined;
  return changedFiles(boundOf(tie) ?? {}, boundOf(now) ?? {})[0] ?? "what it would run";
}
