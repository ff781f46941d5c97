import type { ApprovalState, Decision, InquiryState, Question } from "../core/asking.ts";
import type { TurnEvent } from "../core/events.ts";
import type { StoredApproval } from "../core/ledger.ts";
import type { AskingTurn, BrokerDeps } from "./broker-types.ts";
import type { Verdict } from "./policy/policy.ts";
import { readably } from "./visible-text.ts";

/** Tells the surfaces of one turn what happens to its questions. Never throws: a surface that fails must not decide anything. */
export type Announcer = {
  /** `followed`: its time does not run. */
  asked(row: StoredApproval, followed: boolean): void;
  /** Shown again, to somebody who came later. */
  askedAgain(row: StoredApproval): void;
  decided(row: StoredApproval, decision: Decision): void;
  inquired(inquiry: InquiryState): void;
  inquiredAgain(inquiry: InquiryState): void;
  closed(inquiry: InquiryState): void;
  /** Refused without a question, so the person would not know otherwise. */
  refused(question: Question, verdict: Verdict): void;
  /** One visible line. */
  notice(code: string, text: string): void;
};

export function announcer({ log }: Pick<BrokerDeps, "log">, turn: AskingTurn): Announcer {
  let open = 0;
  const say = (event: TurnEvent): void => {
    try {
      turn.say(event);
    } catch (error) {
      log(`a surface failed at "${event.type}": ${String(error)}`);
    }
  };
  /** Several questions may be open at once; that the turn is waiting is announced once. */
  const opened = (event: TurnEvent): void => {
    say(event);
    open += 1;
    if (open === 1) say({ type: "status", state: "waiting" });
  };
  const shut = (event: TurnEvent): void => {
    open -= 1;
    say(event);
  };
  return {
    asked: (row, followed) =>
      opened({
        type: "approval",
        approval: followed ? stateOf(row) : { ...stateOf(row), expiresAt: row.expiresAt },
      }),
    askedAgain: (row) => say({ type: "approval", approval: stateOf(row) }),
    decided: (row, decision) => shut({ type: "approval", approval: { ...stateOf(row), decision } }),
    inquired: (inquiry) => opened({ type: "inquiry", inquiry }),
    inquiredAgain: (inquiry) => say({ type: "inquiry", inquiry }),
    closed: (inquiry) => shut({ type: "inquiry", inquiry }),
    refused: ({ summary }, { why, reason }) =>
      say({
        type: "notice",
        code: why === "not_asked" ? "not_asked" : "refused",
        text: `Not done: ${readably(cut(summary))} (${reason})`,
      }),
    notice: (code, text) => say({ type: "notice", code, text }),
  };
}

const stateOf = ({ id, question, shown, choices }: StoredApproval): ApprovalState => ({
  id,
  question,
  shown,
  choices,
});

const longest = 120;
const cut = (text: string): string => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);
