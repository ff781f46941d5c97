import type { Fault } from "../../core/faults.ts";
import { codexFault } from "./codex-fault.ts";
import type { LiveTurn, TurnEnd } from "./live-turn.ts";
import type { TurnError } from "./wire/error-info.ts";
import { fieldsOf, flagIn } from "./wire/fields.ts";

const accountMs = 3_000;

/** Why codex says the turn failed, with what the person can do. A failed login retires the process: it keeps the old one. */
export async function turnFailure(
  live: LiveTurn,
  error: TurnError | undefined = live.state.outcome?.error ?? live.state.failure,
): Promise<{ readonly fault: Fault } & Pick<TurnEnd, "drain">> {
  const { state, plan, ports } = live;
  const context = {
    provider: plan.provider,
    loopRouteExists: plan.loopRouteExists,
    now: ports.clock.now(),
    // What was never connected did not break off, however often it was tried.
    brokeOff: error?.info?.kind !== "httpConnectionFailed" && (state.outcome?.brokeOff ?? false),
    redact: state.redact,
    ...(plan.keyName === undefined ? {} : { keyName: plan.keyName }),
    ...(state.limits?.resetsAt === undefined ? {} : { resetsAt: state.limits.resetsAt }),
  };
  const fault = codexFault(error, context);
  if (fault.code !== "auth") return { fault };
  return { fault: codexFault(error, { ...context, ...(await login(live)) }), drain: "auth" };
}

async function login({ server }: LiveTurn): Promise<{ requiresLogin?: boolean; loggedIn?: boolean }> {
  const { signal } = new AbortController();
  const reply = await server
    .request("account/read", {}, { signal, timeoutMs: accountMs })
    .catch(() => undefined);
  if (reply === undefined) return {};
  const account = fieldsOf(reply);
  const loggedIn = account["account"] !== null && account["account"] !== undefined;
  return { requiresLogin: flagIn(account, "requiresOpenaiAuth") ?? false, loggedIn };
}
