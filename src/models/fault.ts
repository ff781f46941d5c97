import type { Fault, FaultCode } from "../core/faults.ts";
import { redactor } from "../lib/redact/redact.ts";
import { readError, type ProviderError } from "./error-body.ts";
import { codeOf, isModelError } from "./fault-code.ts";
import {
  address,
  addressStep,
  againStep,
  duration,
  errorText,
  modelStep,
  nextStep,
  orElsewhere,
  shorterStep,
  verbs,
} from "./fault-words.ts";
import type { FailedEvent, Route, Trouble } from "./model.ts";

/** What went wrong between us and a model, before it is put into words. */
export type Problem =
  | {
      readonly kind: "http";
      readonly status: number;
      readonly body: string;
      readonly retryAfter?: string;
      readonly location?: string;
    }
  | { readonly kind: "provider_error"; readonly error: unknown } // an error inside a stream
  | { readonly kind: "incomplete"; readonly reason: string }
  | { readonly kind: "unreached"; readonly error: unknown }
  | { readonly kind: "cut"; readonly error?: unknown }
  | { readonly kind: "idle"; readonly seconds: number }
  | { readonly kind: "endless"; readonly minutes: number }
  | { readonly kind: "too_big"; readonly mebibytes: number }
  | { readonly kind: "unreadable"; readonly what: string }
  | { readonly kind: "half_call"; readonly tool: string }
  | { readonly kind: "too_many"; readonly items: number }
  | { readonly kind: "empty" }
  | { readonly kind: "setting"; readonly error: unknown };

/** The only place where trouble with a model becomes a fault. `now` is wall time, for a Retry-After that is a date. */
export function classify(problem: Problem, route: Route, now: number): FailedEvent {
  const redact = redactor(secretsOf(route));
  const plain = (text: string): string => bounded(redact(text));
  if (problem.kind === "http") return httpFailure(problem, route, now, plain);
  if (problem.kind === "provider_error") return providerFailure(readError(problem.error), route, plain);
  return failure(answerFault(problem, route, plain), answerTrouble[problem.kind]);
}

const failure = (fault: Fault, trouble: Trouble | undefined): FailedEvent => ({
  type: "failed",
  fault,
  ...(trouble === undefined ? {} : { trouble }),
});

/** Provider's words made fit to be shown: without secrets, and not too long. */
type DisplayText = (text: string) => string;
type HttpProblem = Extract<Problem, { kind: "http" }>;
type AnswerProblem = Exclude<Problem, { kind: "http" | "provider_error" }>;

function httpFailure(problem: HttpProblem, route: Route, now: number, plain: DisplayText): FailedEvent {
  const error = readError(problem.body);
  const code = codeOf(error, problem.status) ?? "protocol";
  const wait = retryAfterMs(problem.retryAfter, now);
  const message = `${subject(code, route)} (HTTP ${problem.status}: ${plain(providerText(error) || redirectText(problem))}).`;
  const next = code === "config" && isModelError(error) ? modelStep : nextStep(code, route);
  const trouble = providerTrouble(code, error, problem.status);
  if (wait === undefined) return failure({ code, message, next }, trouble);
  const later = { code, message, next: `Try again in ${duration(wait)}${orElsewhere}` };
  return { ...failure(later, trouble), retryAfterMs: wait };
}

/** The provider's message, and of its code and parameter what the message does not say itself. */
function providerText({ message, code, param }: ProviderError): string {
  const more = [
    code === "" || message.includes(code) ? "" : `code ${code}`,
    param === "" || message.includes(param) ? "" : `param ${param}`,
  ].filter((part) => part !== "");
  if (message === "") return more.join(", ");
  return more.length === 0 ? message : `${message} (${more.join(", ")})`;
}

const redirectText = (problem: HttpProblem): string =>
  problem.location === undefined ? "no reason given" : `it redirects to ${problem.location}`;

function subject(code: FaultCode, route: Route): string {
  const unkeyed = code === "auth" && (route.key ?? "") === "";
  const verb = unkeyed ? "did not accept a request without a key" : verbs[code];
  return code === "network" || code === "config"
    ? `${route.name} at ${address(route)} ${verb}`
    : `${route.name} ${verb}`;
}

function providerFailure(error: ProviderError, route: Route, plain: DisplayText): FailedEvent {
  const code = codeOf(error, error.status) ?? "refused";
  const reason = plain(providerText(error) || "it sent an error without a reason");
  const next = code === "config" ? modelStep : nextStep(code, route);
  const fault = { code, message: `${route.name} stopped the answer: ${reason}`, next };
  return failure(fault, providerTrouble(code, error, error.status));
}

function answerFault(problem: AnswerProblem, route: Route, plain: DisplayText): Fault {
  const { name } = route;
  switch (problem.kind) {
    case "incomplete": {
      const message = `${name} ended the answer early (${plain(problem.reason || "no reason given")}).`;
      const next = problem.reason === "content_filter" ? nextStep("refused", route) : shorterStep;
      return { code: "refused", message, next };
    }
    case "too_big": {
      const message = `The answer of ${name} passed the limit of ${problem.mebibytes} MiB and was cut off.`;
      return { code: "protocol", message, next: shorterStep };
    }
    case "unreadable": {
      const message = `${name} at ${address(route)} answered with ${plain(problem.what)}, which is not a model's answer.`;
      return { code: "protocol", message, next: addressStep(route) };
    }
    case "half_call": {
      const message = `${name} asked for the tool ${plain(problem.tool || "(unnamed)")} but did not finish saying how; it was not run.`;
      return { code: "protocol", message, next: againStep };
    }
    case "too_many": {
      const message = `${name} put more than ${problem.items} items into one answer; no tool was run.`;
      return { code: "protocol", message, next: againStep };
    }
    case "empty":
      return {
        code: "protocol",
        message: `${name} returned nothing: no text, no tool call.`,
        next: againStep,
      };
    case "setting": {
      const message = `A request to ${name} cannot be made: ${plain(errorText(problem.error))}.`;
      const variable = route.keyName === undefined ? "" : `, and ${route.keyName} for stray characters`;
      return { code: "config", message, next: `Check providers.${name} in config.yaml${variable}.` };
    }
    default:
      return {
        code: "network",
        message: networkMessage(problem, route, plain),
        next: nextStep("network", route),
      };
  }
}

type NetworkProblem = Extract<Problem, { kind: "unreached" | "cut" | "idle" | "endless" }>;

function networkMessage(problem: NetworkProblem, route: Route, plain: DisplayText): string {
  const at = `${route.name} at ${address(route)}`;
  if (problem.kind === "unreached") return `Could not reach ${at}: ${plain(errorText(problem.error))}.`;
  if (problem.kind === "idle")
    return `${at} sent nothing for ${problem.seconds} seconds, so the request was given up.`;
  if (problem.kind === "endless")
    return `${at} did not come to an end within ${problem.minutes} minutes, so the request was given up.`;
  const why = problem.error === undefined ? "" : ` (${plain(errorText(problem.error))})`;
  return `The connection to ${at} ended before the answer was complete${why}.`;
}

/** Seconds or a date; anything else says nothing. */
function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d{1,9}(?:\.\d+)?\s*$/.test(value)) return Math.ceil(Number(value) * 1000);
  const at = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

function secretsOf(route: Route): readonly string[] {
  const headers = Object.entries(route.headers).flatMap(([name, value]) =>
    secretHeader.test(name) ? [value, value.replace(/^\w+\s+/, "")] : [],
  );
  return [route.key ?? "", ...headers].filter((secret) => secret.length > 0);
}

const secretHeader = /key|token|auth|secret|cookie/i;

const longestWords = 500;
const bounded = (text: string): string =>
  text.length <= longestWords ? text : `${text.slice(0, longestWords - 1)}…`;

/** Whether what a provider said about itself may be different the next time. */
function providerTrouble(
  code: FaultCode,
  error: ProviderError,
  status: number | undefined,
): Trouble | undefined {
  if (isAboutSealed(error)) return "sealed";
  if (code === "rate_limited") return "busy";
  if (code === "overloaded" || status === 408) return "down";
  return undefined;
}

/** There is no common word for it: one provider has a code, others only a sentence about what could not be decrypted. */
const isAboutSealed = ({ code, message, param }: ProviderError): boolean =>
  /encrypted/i.test(`${code} ${param}`) ||
  /encrypted[ _](?:content|reasoning)|reasoning\b.*\bdecrypt|decrypt\w*\b.*\breasoning/i.test(message);

/** Whether asking again may help when it is the answer that was no good. */
const answerTrouble: Readonly<Record<string, Trouble>> = {
  unreached: "down",
  cut: "broken",
  unreadable: "broken",
  half_call: "broken",
  empty: "empty",
};
