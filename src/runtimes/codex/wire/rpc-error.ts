/**
 * config: codex refuses its settings · busy: another process has the thread · gone: no such thread any more ·
 * idle: no turn to act on · unsupported: this version does not know the method or field · mcp: a required server failed ·
 * too_long: the input has more characters than it takes
 */
export type RpcProblem = "config" | "busy" | "gone" | "idle" | "unsupported" | "mcp" | "too_long" | "other";

/** What a JSON-RPC error of codex means. Nearly all of them carry the same number, so only its words can tell. */
export const rpcProblem = (message: string): RpcProblem =>
  signs.find(([, sign]) => sign.test(message))?.[0] ?? "other";

const signs: readonly (readonly [RpcProblem, RegExp])[] = [
  ["config", /failed to load configuration/],
  ["busy", /already has an active writer/],
  ["gone", /^(?:no rollout found|thread not found|invalid thread id)/],
  ["idle", /^no active turn/],
  ["unsupported", /^Invalid request: unknown variant|requires experimentalApi capability/],
  ["mcp", /required MCP servers failed/],
  ["too_long", /^Input exceeds the maximum length/],
];
