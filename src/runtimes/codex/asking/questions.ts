import { resolve } from "node:path";
import { changeSummary } from "../../../core/text/change-summary.ts";
import type { FileChange, Question } from "../../../core/asking.ts";
import type { Json } from "../../../core/json.ts";
import type { Change } from "../wire/call-item.ts";
import { type Fields, fieldsOf, idIn, listOf, textIn } from "../wire/fields.ts";

/** Where a question comes from: the turn's folder, and the request by which codex asks. */
export type Asker = {
  readonly cwd: string;
  readonly thread: string;
  readonly epoch: string;
  readonly request: string | number;
};

/** Codex does not say whether the command would run inside its sandbox, so it counts as outside. */
export function commandQuestion(params: Fields, asker: Asker): Question {
  const { command } = params;
  const text = typeof command === "string" ? command : listOf(command).map(String).join(" ");
  const shown = text === "" ? "(codex did not say which command)" : text;
  const base = common(params, asker);
  const extra = extraPermissions(params);
  return {
    ...base,
    tool: "exec_command",
    args: { command: text, cwd: base.cwd, ...extra.args },
    summary: [shown, ...extra.words].join(" "),
    effect: "local",
    // Left empty when codex did not say it: no rule may be made of that.
    action: { kind: "command", command: text, fence: "unknown" },
  };
}

/** What codex would allow with the command, besides the command itself: a yes is one to that, too. */
function extraPermissions(params: Fields): {
  readonly args: Readonly<Record<string, Json>>;
  readonly words: string[];
} {
  const permissions = params["additionalPermissions"] ?? undefined;
  const network = params["networkApprovalContext"] ?? undefined;
  const { host, protocol } = fieldsOf(network);
  return {
    args: {
      ...(permissions === undefined ? {} : { additionalPermissions: permissions as Json }),
      ...(network === undefined ? {} : { networkApprovalContext: network as Json }),
    },
    words: [
      ...(permissions === undefined ? [] : [`(with more permissions: ${JSON.stringify(permissions)})`]),
      ...(network === undefined ? [] : [`(to reach ${String(host)} by ${String(protocol)})`]),
    ],
  };
}

/** `changes`: what the patch would change, which the request itself does not say; undefined when nobody knows. */
export function patchQuestion(
  params: Fields,
  asker: Asker,
  changes: readonly Change[] | undefined,
): Question {
  const root = textIn(params, "grantRoot");
  const base = common(params, asker);
  const known = changes?.flatMap((change) => fileChanges(change, base.cwd));
  const what =
    changes === undefined || changes.length === 0 ? "details not available" : changeSummary(changes);
  return {
    ...base,
    tool: "apply_patch",
    args: {
      changes: (changes ?? []).map(({ path, kind, movePath = null, diff }) => ({
        path,
        kind,
        movePath,
        diff,
      })),
      root: root ?? null,
    },
    summary: `apply_patch: ${what}${root === undefined ? "" : ` (grants write to ${root})`}`,
    effect: "local",
    action: {
      kind: "change",
      changes: known === undefined || known.length === 0 ? undefined : known,
      ...(root === undefined ? {} : { root }),
    },
  };
}

/** The two oldest requests carry their changes, by path. */
export function oldPatchQuestion(params: Fields, asker: Asker): Question {
  const changes = Object.entries(fieldsOf(params["fileChanges"])).map(([path, value]): Change => {
    const [kind = "update", body] = Object.entries(fieldsOf(value))[0] ?? [];
    const fields = fieldsOf(body);
    const diff = textIn(fields, "unified_diff") ?? textIn(fields, "content") ?? "";
    return { path, kind, movePath: textIn(fields, "move_path"), diff };
  });
  return patchQuestion(params, asker, changes);
}

export function permissionQuestion(params: Fields, asker: Asker): Question {
  const wanted = fieldsOf(params["permissions"]) as Json;
  return {
    ...common(params, asker),
    tool: "permissions",
    args: wanted,
    summary: `more permissions: ${JSON.stringify(wanted)}`,
    effect: "external",
    action: { kind: "permissions", wanted },
  };
}

/** A tool of an MCP server. What the server calls itself gives it no rights. */
export function mcpQuestion(params: Fields, asker: Asker): Question {
  const server = textIn(params, "serverName") ?? "unknown";
  const meta = fieldsOf(params["_meta"]);
  const message = textIn(params, "message") ?? "";
  const given = meta["tool_params"];
  return {
    ...common(params, asker),
    tool: `mcp.${server}`,
    args: { server, message, arguments: (given ?? null) as Json },
    summary: message === "" ? `a tool of the MCP server ${server}` : message,
    effect: "external",
    action: given === undefined ? { kind: "tool", unseen: true } : { kind: "tool" },
  };
}

/** A move touches two places, and both are to be judged. */
function fileChanges({ path, kind, movePath, diff }: Change, cwd: string): readonly FileChange[] {
  const from = resolve(cwd, path);
  if (movePath === undefined) return [{ path: from, kind: kindOf(kind), diff }];
  return [
    { path: from, kind: "move", diff },
    { path: resolve(cwd, movePath), kind: "add" },
  ];
}

const kindOf = (kind: string): FileChange["kind"] => (kind === "add" || kind === "delete" ? kind : "update");

function common(params: Fields, asker: Asker): Pick<Question, "cwd" | "reason" | "origin"> {
  const reason = textIn(params, "reason");
  const item = idIn(params, "itemId") ?? idIn(params, "callId");
  const { thread, epoch, request } = asker;
  return {
    cwd: idIn(params, "cwd") ?? asker.cwd,
    ...(reason === undefined ? {} : { reason }),
    origin: { thread, epoch, request: String(request), ...(item === undefined ? {} : { item }) },
  };
}
