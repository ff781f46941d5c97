import type { Fault, FaultCode } from "../../core/faults.ts";
import { readError } from "../../models/error-body.ts";
import { againStep, modelStep } from "../../models/fault-words.ts";
import { type Redact, orLoop, plainWords } from "./fault-words.ts";
import { type TurnError, isConnectionInfo } from "./wire/error-info.ts";

/** What must be known beside the error itself, to say what the person can do. */
export type FaultContext = {
  readonly provider: string;
  /** The variable with the provider's key, where it has one; `keyMissing` when it is not set. */
  readonly keyName?: string;
  readonly keyMissing?: boolean;
  /** From `account/read`: codex wants its own login for this provider, and whether it has one. */
  readonly requiresLogin?: boolean;
  readonly loggedIn?: boolean;
  /** Our own loop could run the turn instead. */
  readonly loopRouteExists: boolean;
  /** Wall times in milliseconds: when the used-up limit comes back, and now. */
  readonly resetsAt?: number;
  readonly now: number;
  /** From `state.outcome`: the answer was under way, or the connection had been lost before. */
  readonly brokeOff?: boolean;
  readonly redact?: Redact;
};

/** Why a turn failed on codex, told by `codexErrorInfo` and the HTTP status: other words can be anybody's. */
export function codexFault(error: TurnError | undefined, context: FaultContext): Fault {
  const code = codeOf(error, context);
  const message = `${context.provider} ${verbs[code]}: ${wordsOf(error, context)}`;
  return { code, message, next: nextStep(code, error, context) };
}

function codeOf(error: TurnError | undefined, context: FaultContext): FaultCode {
  const info = error?.info;
  if (info !== undefined && isConnectionInfo(info)) return byStatus(info.httpStatus);
  const known = info === undefined ? undefined : byKind.get(info.kind);
  if (known !== undefined) return known;
  if (context.keyMissing === true) return "config";
  const status = info?.httpStatus ?? statusInWords(error);
  if (status !== undefined) return byStatus(status);
  return context.brokeOff === true ? "network" : "refused";
}

/** `other`, and any kind that is new, has no row: what happened around it decides. */
const byKind: ReadonlyMap<string, FaultCode> = new Map([
  ["unauthorized", "auth"],
  ["usageLimitExceeded", "quota"],
  ["sessionBudgetExceeded", "quota"],
  ["rateLimitExceeded", "rate_limited"],
  ["serverOverloaded", "overloaded"],
  ["internalServerError", "overloaded"],
  ["flexUnavailable", "overloaded"],
  ["policyCapacityUnavailable", "overloaded"],
  ["contextWindowExceeded", "context_full"],
  ["modelNotFound", "config"],
  ["badRequest", "refused"],
  ["cyberPolicy", "refused"],
  ["misalignmentPolicyViolation", "refused"],
  ["tooManyDenials", "refused"],
  ["sandboxError", "refused"],
  ["activeTurnNotSteerable", "refused"],
  ["threadRollbackFailed", "refused"],
]);

/** Before 0.158 codex gives the status in its own words alone, which stand before the provider's. */
function statusInWords(error: TurnError | undefined): number | undefined {
  if (error?.info?.kind !== "other") return undefined;
  const status = /^unexpected status (\d{3}) /.exec(error.message)?.[1];
  return status === undefined ? undefined : Number(status);
}

function byStatus(status: number | undefined): FaultCode {
  if (status === undefined || status === 407 || status === 408) return "network";
  if (status === 401 || status === 403) return "auth";
  if (status === 402) return "quota";
  if (status === 404 || status === 405 || status === 410) return "config";
  if (status === 413) return "context_full";
  if (status === 429) return "rate_limited";
  return status >= 500 ? "overloaded" : "refused";
}

/** What the provider did, between its name and codex's words. */
const verbs: Readonly<Record<FaultCode, string>> = {
  auth: "did not accept the login or key",
  quota: "says that the plan or budget is used up",
  rate_limited: "gets too many requests just now",
  overloaded: "cannot serve the request just now",
  context_full: "says that the conversation is longer than the model can read",
  network: "was not reached, or the connection broke",
  refused: "did not carry out the request",
  lost: "went away",
  protocol: "sent something that cannot be used",
  config: "cannot be used as it is set up",
  storage: "could not store the request",
  bug: "failed",
};

/** Codex hands some bodies on as they came; the sentence inside is what a person can read. */
function wordsOf(error: TurnError | undefined, context: FaultContext): string {
  const said = readError(error?.message || error?.details || "").message;
  return plainWords(said, context.redact) || "codex gave no reason.";
}

function nextStep(code: FaultCode, error: TurnError | undefined, context: FaultContext): string {
  const { provider } = context;
  switch (code) {
    case "auth":
      return orElsewhere(loginOrKey(error, context), context);
    case "quota":
      return orElsewhere(quotaStep(context), context);
    case "rate_limited":
    case "overloaded":
      return orElsewhere("Wait a little and try again", context);
    case "network":
      return context.brokeOff === true
        ? againStep
        : `Check the network and the address of ${provider}, then try again.`;
    case "context_full":
      return "Start a new session with `/new`, or choose a model that reads more.";
    case "config":
      return error?.info?.kind === "modelNotFound" ? modelStep : orLoop(keyStep(context), context);
    default:
      return againStep;
  }
}

/** Our loop asks the same provider: it hears something else only where it has another key than codex. */
function orElsewhere(step: string, context: FaultContext): string {
  const ownLogin = context.keyName === undefined && context.requiresLogin !== false;
  return orLoop(step, { loopRouteExists: context.loopRouteExists && ownLogin });
}

/** Only a login that codex itself wants and does not have is mended by `codex login`. */
function loginOrKey(error: TurnError | undefined, context: FaultContext): string {
  const expired = error?.info?.kind === "unauthorized";
  const missing = context.requiresLogin === true && context.loggedIn !== true;
  if (expired || missing) return "Run `codex login`, then try again";
  if (context.requiresLogin === true) return `Check that the account in codex may use ${context.provider}`;
  return keyStep(context);
}

function keyStep({ provider, keyName, keyMissing }: FaultContext): string {
  if (keyName === undefined) return `Check the settings and the key of ${provider}, then try again`;
  const verb = keyMissing === true ? "Set" : "Check";
  return `${verb} ${keyName} in the environment or in the .env file of Talaria's home, then try again`;
}

function quotaStep({ provider, resetsAt, now }: FaultContext): string {
  if (resetsAt === undefined || resetsAt <= now) return `Check the plan and billing of ${provider}`;
  return `Try again after ${clockTime(resetsAt)} (in ${span(resetsAt - now)}), or check the plan of ${provider}`;
}

const clockTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;

function span(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.round(minutes / 1440)} days`;
}
