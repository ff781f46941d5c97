import type { Fault } from "../../../core/faults.ts";
import { type Redact, orLoop, plainWords } from "../fault-words.ts";
import { type Gone, goneWords } from "./gone.ts";
import { rpcProblem } from "../wire/rpc-error.ts";

type Loop = { readonly loopRouteExists: boolean };

/** The process is of no use any more. `starting`: it had not answered its first request. */
export function goneFault(gone: Gone, context: Loop & { readonly starting: boolean }): Fault {
  const message = goneWords(gone);
  if (gone.reason === "line-too-long" || gone.reason === "garbage") {
    return {
      code: "protocol",
      message,
      next: "Send it again, and ask for smaller outputs if it is too large.",
    };
  }
  if (!context.starting) return { code: "lost", message, next: orLoop(goOnStep, context) };
  return refusedToStart(gone)
    ? { code: "config", message, next: configStep(context) }
    : {
        code: "lost",
        message,
        next: orLoop("Try again; if it happens again, run `codex app-server` yourself", context),
      };
}

export const goOnStep =
  "Send it again: what was done so far is kept, and a new codex goes on with the conversation";

/** It ended by itself and said why: before the first answer that is a setting which it does not accept. */
const refusedToStart = ({ reason, code, signal, stderrTail }: Gone): boolean =>
  reason === "exit" && signal === null && code !== 0 && stderrTail.trim() !== "";

/** A request that codex answered with an error. */
export function rpcFault(
  method: string,
  error: { readonly message: string },
  context: Loop & { readonly redact?: Redact },
): Fault {
  const said = plainWords(error.message, context.redact);
  switch (rpcProblem(error.message)) {
    case "config":
      return { code: "config", message: `Codex refuses its settings: ${said}`, next: configStep(context) };
    case "busy":
      return {
        code: "refused",
        message: `Another program has this conversation open in codex: ${said}`,
        next: "Close it there (a codex or Talaria that is still running), then try again.",
      };
    case "too_long":
      return inputTooLong(`Codex does not accept a message this long: ${said}`);
    case "mcp":
      return {
        code: "config",
        message: `Codex could not start an MCP server that is marked as required: ${said}`,
        next: "Fix the server's command in mcp_servers, or remove `required`, then try again.",
      };
    default:
      return {
        code: "protocol",
        message: `Codex did not accept ${method}: ${said}`,
        next: orLoop("Try again; if it happens again, update codex with `npm i -g @openai/codex`", context),
      };
  }
}

/** Another codex would not take it either. */
export const inputTooLong = (message: string): Fault => ({
  code: "refused",
  message,
  next: "Put the text into a file and name the file, or send it in several messages.",
});

const configStep = (loop: Loop): string =>
  orLoop("Correct it in codex's own config.toml (in CODEX_HOME, or ~/.codex), then try again", loop);
