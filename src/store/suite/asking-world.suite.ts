import type { Question } from "../../core/asking.ts";
import { type SessionId, newId } from "../../core/ids.ts";
import type { StoredApproval, StoredGrant, StoredInquiry } from "../../core/ledger.ts";
import type { Resolution } from "../store.ts";
import type { OpenedTurn } from "./world.suite.ts";
import { localOwner } from "../../core/principal.ts";

let count = 0;
const next = (): number => (count += 1);

export const question: Question = {
  tool: "terminal",
  args: { command: "make install", timeout: null },
  cwd: "/work",
  effect: "local",
  action: { kind: "command", command: "make install", fence: "none" },
  summary: "run make install",
};

type Of = Pick<OpenedTurn, "session" | "turn">;

/** A question that waits for its answer. */
export function approval({ session, turn }: Of, also: Partial<StoredApproval> = {}): StoredApproval {
  const number = next();
  return {
    id: newId("apr", number),
    session,
    turn,
    runtime: "loop",
    surface: "cli",
    asker: localOwner("cli"),
    hash: `hash-${number}`,
    question,
    shown: ["make install", "in /work"],
    choices: ["once", "session", "deny"],
    labels: ["writes"],
    state: "pending",
    askedAt: number,
    expiresAt: number + 300_000,
    ...also,
  };
}

/** The same with an outcome, as the policy writes it. */
export const decided = (
  of: Of,
  state: StoredApproval["state"],
  also: Partial<StoredApproval> = {},
): StoredApproval => approval(of, { state, why: "policy", decidedAt: 7, ...also });

export const yes = (also: Partial<Resolution> = {}): Resolution => ({
  state: "once",
  why: "person",
  by: "ada",
  at: 9,
  ...also,
});

export function inquiry({ session, turn }: Of, also: Partial<StoredInquiry> = {}): StoredInquiry {
  const number = next();
  return {
    id: newId("inq", number),
    session,
    turn,
    form: { title: "Which one?", fields: [{ name: "which", label: "Which", options: ["a", "b"] }] },
    state: "pending",
    askedAt: number,
    expiresAt: number + 300_000,
    ...also,
  };
}

/** Always, or with a session for that one. */
export function grant(session?: SessionId, also: Partial<StoredGrant> = {}): StoredGrant {
  const number = next();
  return {
    id: newId("grn", number),
    ...(session === undefined ? { scope: "always" } : { scope: "session", session }),
    hash: "hash",
    summary: "run make install",
    tool: "terminal",
    cwd: "/work",
    by: "ada",
    madeAt: number,
    ...also,
  };
}
