import { RpcError } from "../../../lib/rpc-message.ts";
import type { Ports } from "../../runtime.ts";
import type { AppServer } from "../process/app-server.ts";
import { type Fields, fieldsOf, textIn } from "../wire/fields.ts";
import type { OwnLimits } from "./limits.ts";
import { request } from "./requests.ts";

/** What the person's own codex settings say that matters to us. */
export type OwnSettings = OwnLimits & {
  readonly model: string | undefined;
  readonly mcpServers: Fields;
  /** The folders that they trust, or do not. */
  readonly projects: Fields;
};

export async function ownSettings(server: AppServer, ports: Ports): Promise<OwnSettings> {
  const reply = await request(server, "config/read", {}, ports).catch((error: unknown) => {
    if (error instanceof RpcError) return {}; // an old codex, or broken settings: `thread/start` says more
    throw error;
  });
  const config = fieldsOf(fieldsOf(reply)["config"]);
  return {
    limitsAreSet: (config["sandbox_mode"] ?? config["default_permissions"] ?? null) !== null,
    sandbox: config["sandbox_mode"] ?? undefined,
    profile: config["default_permissions"] ?? undefined,
    policyIsSet: (config["approval_policy"] ?? null) !== null,
    model: textIn(config, "model"),
    mcpServers: fieldsOf(config["mcp_servers"]),
    projects: fieldsOf(config["projects"]),
  };
}
