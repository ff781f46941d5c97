import type { Question } from "../core/asking.ts";
import { rightsOf } from "../core/principal.ts";
import type { SessionId } from "../core/ids.ts";
import { isExact } from "./action-hash.ts";
import type { Announcer } from "./announcer.ts";
import { type PendingQuestion, type Outcome, recordDecision } from "./case.ts";
import type { Label } from "./policy/labels.ts";
import { hidesSomething, readably } from "./visible-text.ts";

/** `unavailable`: nobody could be asked, and why. */
export type Advice =
  | { readonly approve: boolean; readonly reason: string }
  | { readonly unavailable: string };

/** Asks a small model about one action that a person would be asked about. Never rejects. */
export type Advise = (
  question: Question,
  about: { readonly labels: readonly string[]; readonly session: SessionId },
  signal: AbortSignal,
) => Promise<Advice>;

/** A yes for this one action, if it may be asked for and is given. `undefined`: a person has to decide. */
export async function advised(pending: PendingQuestion, announce: Announcer): Promise<Outcome | undefined> {
  const { shared, turn, question, verdict, signal } = pending;
  if (shared.advise === undefined || !mayBeAdvised(pending)) return undefined;
  const about = { labels: verdict.labels, session: turn.session };
  const advice = await shared.advise(question, about, signal);
  if (signal.aborted) return undefined;
  if ("unavailable" in advice) {
    if (!shared.noticesGiven.has(noAdvice))
      announce.notice(noAdvice, `${unavailableText} (${advice.unavailable})`);
    shared.noticesGiven.add(noAdvice);
    return undefined;
  }
  // It took time, and a folder may have become another one meanwhile.
  if (!advice.approve || (await shared.folderId(question.cwd)) !== pending.folder) return undefined;
  const reason = cut(readably(advice.reason));
  const outcome = await recordDecision(pending, { choice: "once", why: "policy", by: "smart", reason });
  announce.notice(
    "smart_approved",
    `Allowed without a question: ${cut(readably(question.summary))} (${reason})`,
  );
  return outcome;
}

const noAdvice = "smart_unavailable";
const unavailableText = "approvals.mode is smart, but no model could be asked, so you are";

/**
 * Only an action that is known exactly, can be undone, comes from somebody who is trusted, and contains nothing that could
 * persuade a model. Everything else goes to a person.
 */
function mayBeAdvised({ question, turn, verdict }: PendingQuestion): boolean {
  const { action } = question;
  const rights = rightsOf(turn.from, turn.audience);
  if (turn.attended !== "ask" || (rights !== "owner" && rights !== "program")) return false;
  if (verdict.destructive || !verdict.labels.every((label) => judgeable.has(label as Label))) return false;
  if (action.kind === "permissions" || (action.kind === "change" && action.root !== undefined)) return false;
  const text = JSON.stringify([question.tool, question.args, action, question.cwd]);
  return isExact(question) && text.length <= longest && !hidesSomething(text) && !persuades.test(text);
}

/** Labels of what can be judged by reading it. All others, future ones included, are for a person to decide. */
const judgeable: ReadonlySet<Label> = new Set<Label>(["outside-write", "inline-code"]);

/** More than this a small model does not read with care. */
const longest = 4_000;

/** Words addressed to whoever judges. They are rare in an honest action, and then a person is asked. */
const persuades =
  /\brisk\b|\bapprov|\ballow(?:ed)?\b[^a-z]{0,3}(?:this|it|by)|\b(?:ignore|disregard|forget)\b.{0,40}\b(?:instruction|rule|above|previous|prompt)|\b(?:harmless|safe to run|low.?risk)\b|\b(?:assistant|system|judge|reviewer)\s*:|<\/?(?:system|assistant|user|action|data)\b/is;

const most = 160;
const cut = (text: string): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
