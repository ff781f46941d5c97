import type { Params, Session } from "./session.ts";
import type { ThreadMeta } from "./thread-log.ts";

/** A thread as `thread/start` makes it. */
export function newMeta(session: Session, params: Params): ThreadMeta {
  const { config } = session;
  const sandbox = sandboxPolicy(params["sandbox"] ?? config["sandbox_mode"]);
  return {
    id: session.ids.uuid(),
    cwd: "/",
    model: config["model"] ?? "gpt-5.5",
    modelProvider: config["model_provider"] ?? "openai",
    approvalPolicy: config["approval_policy"] ?? "on-request",
    sandbox: sandbox ?? { type: "readOnly", networkAccess: false },
    sandboxChosen: sandbox !== undefined,
    createdAt: session.clock.now(),
    ephemeral: params["ephemeral"] === true,
    forkedFromId: null,
    originator: session.client.name,
    dynamicTools: (params["dynamicTools"] as readonly unknown[] | undefined) ?? [],
    ...chosen(params),
  };
}

/** What a client sets on starting, resuming or forking a thread, or for a turn and all that follow. */
export function chosen(params: Params): Partial<ThreadMeta> {
  const { cwd, model, modelProvider, approvalPolicy } = params;
  const sandbox = sandboxPolicy(params["sandbox"]) ?? params["sandboxPolicy"];
  return {
    ...(typeof cwd === "string" ? { cwd } : {}),
    ...(typeof model === "string" ? { model } : {}),
    ...(typeof modelProvider === "string" ? { modelProvider } : {}),
    ...(approvalPolicy === undefined || approvalPolicy === null ? {} : { approvalPolicy }),
    ...(sandbox === undefined || sandbox === null ? {} : { sandbox, sandboxChosen: true }),
  };
}

function sandboxPolicy(mode: unknown): object | undefined {
  if (mode === "danger-full-access") return { type: "dangerFullAccess" };
  if (mode === "read-only") return { type: "readOnly", networkAccess: false };
  if (mode !== "workspace-write") return undefined;
  const tmp = { excludeTmpdirEnvVar: false, excludeSlashTmp: false };
  return { type: "workspaceWrite", writableRoots: [], networkAccess: false, ...tmp };
}
