import { foreignLine } from "./foreign-text.ts";

/** What went wrong with a server, as the rest of a sentence that begins with its name. */
export class McpTrouble extends Error {
  /** The server does not know the session any more, and has done nothing. */
  readonly isStale: boolean;
  /** Nothing can be asked of this connection any more. */
  readonly isFinal: boolean;
  /** It was not even tried. */
  readonly isLimit: boolean;
  constructor(
    message: string,
    { cause, isStale = false, isFinal = false, isLimit = false }: TroubleOptions = {},
  ) {
    super(message, { cause });
    this.name = "McpTrouble";
    this.isStale = isStale;
    this.isFinal = isFinal;
    this.isLimit = isLimit;
  }
}

/** The whole sentence. */
export function troubleLine(server: string, why: string): string {
  return `The MCP server ${foreignLine(server, 60)} ${why}${/[.!?…]$/.test(why) ? "" : "."}`;
}

type TroubleOptions = {
  readonly cause?: unknown;
  readonly isStale?: boolean;
  readonly isFinal?: boolean;
  readonly isLimit?: boolean;
};

/** `lastWords`: what is known of its end. */
export function troubleOf(cause: unknown, failureDetail = ""): McpTrouble {
  if (cause instanceof McpTrouble && failureDetail === "") return cause;
  const { text, ...kind } = causeText(cause);
  return new McpTrouble(failureDetail === "" ? text : `${text} (${failureDetail})`, { cause, ...kind });
}

type Words = { readonly text: string; readonly isStale?: boolean; readonly isFinal?: boolean };

function causeText(cause: unknown): Words {
  if (cause instanceof McpTrouble) return { text: cause.message };
  if (!(cause instanceof Error)) return { text: `failed: ${foreignLine(String(cause), 500)}` };
  const message = foreignLine(cause.message, 1_000);
  if (cause.name === "SpawnError") return { text: `could not be started. ${cause.message}` };
  const { code, status } = cause as { readonly code?: unknown; readonly status?: unknown };
  if (typeof status === "number") return httpText(status, message);
  if (code === brokenOff) return { text: `did not answer: ${message}`, isFinal: true };
  if (code === "INVALID_RESULT") return { text: "answered with what is no result" };
  if (typeof code === "number") return { text: `answered with an error: ${message || "no words"} (${code})` };
  if (code === "CONNECTION_CLOSED") return { text: "ended before it had answered", isFinal: true };
  const reason = (cause.cause as { readonly code?: unknown } | undefined)?.code;
  if (cause instanceof TypeError && cause.message === "fetch failed")
    return { text: `cannot be reached${typeof reason === "string" ? ` (${reason})` : ""}`, isFinal: true };
  return { text: `failed: ${message}`, isFinal: true };
}

function httpText(status: number, message: string): Words {
  if (status === 401 || status === 403)
    return { text: `wants a login (HTTP ${status}). Put it into \`headers\` of its settings`, isFinal: true };
  return {
    text: `answered with HTTP ${status}: ${message}`,
    isFinal: true,
    isStale: status === 404,
  };
}

/** Stands for an answer that cannot come any more. In the range that JSON-RPC leaves to programs. */
export const brokenOff = -32_090;
