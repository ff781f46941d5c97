import type { Fault } from "../../core/faults.ts";
import { type Redact, orLoop, plainWords } from "./fault-words.ts";
import { rpcProblem } from "./wire/rpc-error.ts";

type Words = { readonly redact?: Redact };
type Loop = { readonly loopRouteExists: boolean };

/** How a codex process ended. `stderr` is the tail that was kept. */
export type Exit = Words & {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
};

/** Codex died under a turn. */
export function lostFault(exit: Exit): Fault {
  const said = lastWords(exit);
  const words = said === "" ? "" : ` Its last words: ${said}`;
  return {
    code: "lost",
    message: `Codex ended in the middle of the turn (${endOf(exit)}).${words}`,
    next: "Send it again: what was done so far is kept, and a new codex goes on with the conversation.",
  };
}

/** Codex ended before it answered the first request. With words of its own it is a setting that it refuses. */
export function startFault(exit: Exit, loop: Loop): Fault {
  const said = lastWords(exit);
  const refused = said !== "" && exit.signal === null && exit.code !== 0;
  if (!refused) {
    const words = said === "" ? "" : ` Its last words: ${said}`;
    return {
      code: "lost",
      message: `Codex ended before it was ready (${endOf(exit)}).${words}`,
      next: orLoop("Try again; if it happens again, run `codex app-server` yourself to see why", loop),
    };
  }
  return { code: "config", message: `Codex did not start (${endOf(exit)}): ${said}`, next: configStep(loop) };
}

/** A request that codex answered with an error. */
export function rpcFault(method: string, error: { readonly message: string }, context: Loop & Words): Fault {
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
    case "mcp":
      return {
        code: "config",
        message: `Codex could not start an MCP server that is marked as required: ${said}`,
        next: "Mend the server's command in mcp_servers, or take `required` away, then try again.",
      };
    default:
      return {
        code: "protocol",
        message: `Codex did not accept ${method}: ${said}`,
        next: orLoop("Try again; if it happens again, update codex with `npm i -g @openai/codex`", context),
      };
  }
}

export const tooLargeFault = (limitMebibytes: number): Fault => ({
  code: "protocol",
  message: `Codex sent a message of more than ${limitMebibytes} MiB, so the connection to it was given up.`,
  next: "Send it again, and ask for smaller outputs or files.",
});

export const tooOldFault = (found: string, minimum: string, loop: Loop): Fault => ({
  code: "config",
  message: `Codex ${found} is too old: Talaria needs ${minimum} or newer.`,
  next: orLoop("Update it with `npm i -g @openai/codex`", loop),
});

/** `cause`: what the system said when the program was started. */
export const missingFault = (program: string, cause: string, loop: Loop): Fault => ({
  code: "config",
  message: `Codex could not be started as ${program}: ${cause}`,
  next: orLoop("Install it with `npm i -g @openai/codex`, or name it in `model.codex_bin`", loop),
});

const configStep = (loop: Loop): string =>
  orLoop("Correct it in codex's own config.toml (in CODEX_HOME, or ~/.codex), then try again", loop);

function endOf({ code, signal }: Exit): string {
  if (signal !== null) return `signal ${signal}`;
  return code === null ? "no exit code" : `exit code ${code}`;
}

/** The last lines of stderr. */
function lastWords({ stderr, redact }: Exit): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  return plainWords(lines.slice(-3).join(" "), redact);
}
