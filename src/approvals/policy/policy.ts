import type { Action, Choice, Question } from "../../core/asking.ts";
import { type Attended, attendedFor } from "../../core/host.ts";
import { type Audience, type Principal, type Role, rightsOf } from "../../core/principal.ts";
import { assessChange, assessPermissions } from "./changes.ts";
import { inspect } from "./danger.ts";
import { deniedBy } from "./deny-list.ts";
import { belowFloor } from "./floor.ts";
import { type Label, changesMeaning, isFinal, meaning } from "./labels.ts";

export type PolicySettings = {
  readonly mode: "manual" | "smart" | "off";
  readonly securityMode: "auto" | "approval-required" | "unrestricted";
  /** The person's own globs over commands: `*` any, `?` one, letter case ignored. */
  readonly deny: readonly string[];
  /** Absolute files and folders that nobody changes through an action: our settings, keys, database, codex's login. */
  readonly guarded: readonly string[];
  /** The person's home folder, what `~` stands for. */
  readonly home: string;
};

export type Situation = {
  /** Who the turn is for. */
  readonly from: Pick<Principal, "role" | "local">;
  readonly audience: Audience;
  readonly attended: Attended;
};

export type Verdict = {
  readonly verdict: "allow" | "ask" | "deny";
  readonly why: "policy" | "not_asked";
  /** For the person and the model. */
  readonly reason: string;
  readonly labels: readonly string[];
  /** It cannot be taken back. */
  readonly destructive: boolean;
  /** A standing grant may turn `ask` and `not_asked` into yes. Never for the floor and the deny list. */
  readonly grantable: boolean;
  /** What a person may answer; empty unless the verdict is `ask`. */
  readonly choices: readonly Choice[];
};

/**
 * Allow, ask or deny. Pure and total. In this order: what is refused anyway is denied; what has no side effect is allowed; the floor and the deny list
 * are denied to everybody; guests are denied the rest; with approvals off (or unrestricted) what could not be checked against the floor is
 * denied, and the owner and their programs are not asked; what stays inside the sandbox or the working folder and carries no label is allowed; everything else is
 * asked. Where nobody can be asked, a question is a No that says so.
 */
export function judge(question: Question, situation: Situation, settings: PolicySettings): Verdict {
  const { refused } = question;
  if (refused !== undefined) return { ...refusal(assess(question, settings), refused), grantable: false };
  if (question.action.kind === "tool" && question.effect === "none")
    return allow(harmless, "It changes nothing.");
  const assessed = assess(question, settings);
  const { never } = assessed;
  if (never !== undefined) return { ...refusal(assessed, never), grantable: false };
  const rights = rightsOf(situation.from, situation.audience);
  if (rights === "guest") return refusal(assessed, "Nothing is changed or sent for guests.");
  if (isOff(settings) && assessed.unchecked !== undefined) return refusal(assessed, assessed.unchecked);
  if (isOff(settings) && rights !== "member") return allow(assessed, "Approvals are switched off.");
  if (staysInside(assessed, rights)) return allow(assessed, assessed.reason);
  return asked(question, assessed, situation, rights);
}

/** What is known of an action, whoever wants it. */
export type Assessment = {
  readonly labels: readonly Label[];
  readonly destructive: boolean;
  /** inside: the sandbox or the working folder holds it · own: a tool of ours without effect elsewhere · far: the rest */
  readonly reach: "inside" | "own" | "far";
  /** Why it is asked, or why it is not. */
  readonly reason: string;
  /** An exact rule can describe it, and means the same tomorrow. */
  readonly lasting: boolean;
  /** Why it is never done. */
  readonly never?: string;
  /** Why it cannot be let through unasked. */
  readonly unchecked?: string;
};

const harmless: Assessment = { labels: [], destructive: false, reach: "inside", reason: "", lasting: true };

function assess(question: Question, settings: PolicySettings): Assessment {
  const { action, effect, cwd } = question;
  const final = effect === "destructive";
  switch (action.kind) {
    case "command":
      return assessCommand(action, { final, cwd }, settings);
    case "change":
      return withEffect(assessChange(action, cwd, settings), final);
    case "permissions":
      return withEffect(assessPermissions(action.wanted, settings), final);
    case "tool":
      return withEffect(assessTool(effect), final);
  }
  return {
    ...harmless,
    reach: "far",
    reason: "Nobody knows what it would do.",
    lasting: false,
    destructive: true,
  };
}

const withEffect = (assessed: Assessment, final: boolean): Assessment =>
  final ? { ...assessed, destructive: true, reach: "far" } : assessed;

function assessTool(effect: Question["effect"]): Assessment {
  if (effect === "local") return { ...harmless, reach: "own", reason: "It changes only what Talaria keeps." };
  if (effect === "external") return { ...harmless, reach: "far", reason: "It reaches outside this machine." };
  return { ...harmless, reach: "far", reason: "It cannot be taken back." };
}

type Command = Extract<Action, { kind: "command" }>;

function assessCommand(
  { command, fence }: Command,
  { final, cwd }: { readonly final: boolean; readonly cwd: string },
  settings: PolicySettings,
): Assessment {
  const inspection = inspect(command, { cwd, home: settings.home, guarded: settings.guarded });
  const found = inspection.labels;
  const below = belowFloor(inspection.inspected);
  const glob = deniedBy(command, inspection.inspected, settings.deny);
  const denied = glob === undefined ? undefined : `The deny list says no: ${glob}`;
  const never = below === undefined ? denied : `Never done: ${below}`;
  const sandboxed = fence === "sandbox";
  return {
    labels: found,
    destructive: final || found.some(isFinal),
    reach: sandboxed && found.length === 0 && !final ? "inside" : "far",
    reason: found.length > 0 ? meaning(found) : sandboxReason(fence),
    lasting: !found.some((label) => changesMeaning.has(label)),
    ...(never === undefined ? {} : { never }),
    ...(inspection.cut
      ? { unchecked: "It is too long or too deeply nested to be checked; split it up." }
      : {}),
  };
}

function sandboxReason(fence: Command["fence"]): string {
  if (fence === "sandbox") return "It runs inside the sandbox.";
  return fence === "none"
    ? "It would run outside a sandbox."
    : "Nobody knows whether it would run inside a sandbox.";
}

const isOff = ({ mode, securityMode }: PolicySettings): boolean =>
  mode === "off" || securityMode === "unrestricted";

/** What Talaria keeps is the owner's: a member's turn asks before it changes that. */
const staysInside = ({ reach }: Assessment, rights: Role): boolean =>
  reach === "inside" || (reach === "own" && rights !== "member");

function asked(question: Question, assessed: Assessment, situation: Situation, rights: Role): Verdict {
  // What the owner allowed for good, they allowed for themselves.
  const verdict = { ...verdictOf(assessed), grantable: rights !== "member" };
  const { local } = situation.from;
  const attended = attendedFor({ role: rights, local }, situation.attended);
  if (attended === "none") {
    return { ...verdict, verdict: "deny", why: "not_asked", reason: "not asked: no one was there to ask" };
  }
  if (attended === "ask" || (attended === "yolo" && assessed.destructive)) {
    return {
      ...verdict,
      verdict: "ask",
      why: "policy",
      reason: assessed.reason,
      choices: choicesOf(question, assessed, rights, local),
    };
  }
  if (assessed.destructive) {
    const reason = `It cannot be taken back, so allowing everything beforehand does not cover it. ${assessed.reason}`;
    return { ...verdict, verdict: "deny", why: "policy", reason };
  }
  return allow(assessed, "Everything was allowed beforehand.");
}

function choicesOf(
  { action }: Question,
  assessed: Assessment,
  rights: Role,
  local: boolean,
): readonly Choice[] {
  if (rights === "member") return ["once", "deny"];
  const exact =
    action.kind === "command" ||
    action.kind === "tool" ||
    (action.kind === "change" && action.root === undefined);
  const mayLast = rights === "owner" && local && exact && assessed.lasting && !assessed.destructive;
  return mayLast ? ["once", "session", "always", "deny"] : ["once", "session", "deny"];
}

const verdictOf = ({
  labels: found,
  destructive,
}: Assessment): Pick<Verdict, "labels" | "destructive" | "choices"> => ({
  labels: found,
  destructive,
  choices: [],
});

const allow = (assessed: Assessment, reason: string): Verdict => ({
  ...verdictOf(assessed),
  verdict: "allow",
  why: "policy",
  reason,
  grantable: false,
});

const refusal = (assessed: Assessment, reason: string): Verdict => ({
  ...allow(assessed, reason),
  verdict: "deny",
});
