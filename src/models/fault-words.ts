import type { FaultCode } from "../core/faults.ts";
import type { Route } from "./model.ts";

/** What the provider did, to stand between its name and its own words. */
export const verbs: Readonly<Record<FaultCode, string>> = {
  auth: "did not accept the key",
  quota: "says that the plan or budget is used up",
  rate_limited: "gets too many requests just now",
  overloaded: "cannot serve the request just now",
  context_full: "says that the conversation is longer than the model can read",
  network: "was not reached",
  refused: "refused the request",
  lost: "went away",
  protocol: "did not accept the request",
  config: "does not know the model or the address",
  storage: "could not store the request",
  bug: "failed",
};

/** What the person can do about it. */
export function nextStep(code: FaultCode, route: Route): string {
  switch (code) {
    case "auth":
      return keyStep(route);
    case "quota":
      return `Check the plan and billing of ${route.name}${orElsewhere}`;
    case "rate_limited":
    case "overloaded":
      return `Wait a little and try again${orElsewhere}`;
    case "context_full":
      return "Start a new session, or choose a model that reads more.";
    case "network":
      return `Check the network, and providers.${route.name}.api in config.yaml, then try again.`;
    case "config":
      return addressStep(route);
    case "refused":
      return "Put the request in other words, or choose another model.";
    default:
      return "Try again; if it happens again, choose another model or report it with the output of `talaria doctor`.";
  }
}

export const modelStep = "Choose another model with `--model` or `talaria config set model.default …`.";

export const orElsewhere = ", or choose another model with `talaria config set model.default …`.";

export const againStep = "Try again; if it happens again, put it in other words or choose another model.";

export const shorterStep = "Ask it to go on, or ask for a shorter answer.";

export const addressStep = (route: Route): string =>
  `Check providers.${route.name}.api in config.yaml (now ${address(route)}) and its protocol (now ${route.protocol}).`;

function keyStep(route: Route): string {
  const where = "in the environment or in the .env file of Talaria's home";
  if (route.keyName === undefined)
    return `Name the variable that holds the key: \`talaria config set providers.${route.name}.key_env NAME\`.`;
  const verb = route.key === undefined || route.key === "" ? "Set" : "Check";
  return `${verb} ${route.keyName} ${where}, then try again.`;
}

/** Without path, query and login, which may hold secrets. */
export function address(route: Route): string {
  try {
    return new URL(route.url).origin;
  } catch {
    return "an address that cannot be read";
  }
}

export function duration(ms: number): string {
  const [name, size] = units.find(([, length]) => ms >= length * 2) ?? (["second", 1000] as const);
  const amount = Math.max(1, Math.ceil(ms / size));
  return `${amount} ${name}${amount === 1 ? "" : "s"}`;
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** `fetch failed` says nothing; its causes do. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return errorText(error.cause);
  if (error.message === "") return "no reason given, as when a proxy wants a login";
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const known = reasons.get(code);
  if (known !== undefined) return `${known} (${code})`;
  return code === "" || error.message.includes(code) ? error.message : `${error.message} (${code})`;
}

const reasons: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "nothing listens there"],
  ["ECONNRESET", "the other side closed the connection"],
  ["UND_ERR_SOCKET", "the other side closed the connection"],
  ["ENOTFOUND", "the name is not known"],
  ["EAI_AGAIN", "the name could not be looked up"],
  ["ETIMEDOUT", "it did not answer in time"],
  ["UND_ERR_CONNECT_TIMEOUT", "it did not answer in time"],
  ["CERT_HAS_EXPIRED", "its certificate has expired"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "its certificate is self-signed"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "its certificate is self-signed"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "its certificate cannot be verified"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is for another name"],
]);
