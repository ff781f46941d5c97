import type { Action, Choice, Principal, Question } from "../../core/asking.ts";
import type { Attended } from "../../core/host.ts";
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
  readonly actor: Principal["role"];
  readonly attended: Attended;
  readonly surface: string;
  /** A person at this machine. */
  readonly local: boolean;
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
 * are denied to everybody; strangers are denied, and group members what cannot be taken back; with approvals off (or
 * unrestricted) the owner and paired people are not asked; the rest is asked, unless it stays inside the sandbox or the
 * working folder and carries no label. Where nobody can be asked, a question is a No that says so.
 */
export function judge(question: Question, situation: Situation, settings: PolicySettings): Verdict {
  const { refused } = question;
  if (refused !== undefined) return { ...refusal(assess(question, settings), refused), grantable: false };
  if (question.action.kind === "tool" && question.effect === "none")
    return allow(harmless, "It changes nothing.");
  const assessed = assess(question, settings);
  const { never } = assessed;
  if (never !== undefined) return { ...refusal(assessed, never), grantable: false };
  const { actor } = situation;
  if (actor === "stranger")
    return refusal(assessed, "Somebody who is not known here may not change anything.");
  if (actor === "member" && assessed.destructive) {
    return refusal(assessed, `It cannot be taken back, and a group member asked for it: ${assessed.reason}`);
  }
  if (actor !== "member" && isOff(settings)) return allowUnasked(assessed);
  if (staysInside(assessed, actor)) return allow(assessed, assessed.reason);
  return asked(question, assessed, situation);
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

/** With approvals off nobody is asked; but what could not be checked against the floor is not let past it. */
function allowUnasked(assessed: Assessment): Verdict {
  if (assessed.unchecked !== undefined) return refusal(assessed, assessed.unchecked);
  return allow(assessed, "Approvals are switched off.");
}

function staysInside({ reach }: Assessment, actor: Situation["actor"]): boolean {
  if (actor === "owner") return reach !== "far";
  return actor === "paired" && reach === "inside";
}

function asked(question: Question, assessed: Assessment, situation: Situation): Verdict {
  const verdict = { ...verdictOf(assessed), grantable: situation.actor !== "member" };
  if (situation.attended === "none") {
    return { ...verdict, verdict: "deny", why: "not_asked", reason: "not asked: no one was there to ask" };
  }
  const uncovered = assessed.destructive && situation.actor !== "member";
  if (situation.attended === "ask" || (situation.attended === "yolo" && uncovered)) {
    return {
      ...verdict,
      verdict: "ask",
      why: "policy",
      reason: assessed.reason,
      choices: choicesOf(question, assessed, situation),
    };
  }
  if (situation.actor === "member") {
    return refusal(assessed, "What was allowed beforehand does not hold for group members.");
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
  { actor, local }: Situation,
): readonly Choice[] {
  if (actor === "member") return ["once", "deny"];
  const exact =
    action.kind === "command" ||
    action.kind === "tool" ||
    (action.kind === "change" && action.root === undefined);
  const mayLast = actor === "owner" && local && exact && assessed.lasting && !assessed.destructive;
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
