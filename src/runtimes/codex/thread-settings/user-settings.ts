import { join } from "node:path";
import { RpcError } from "../../../lib/rpc/rpc-message.ts";
import type { Ports } from "../../runtime.ts";
import type { CodexPlan } from "../plan.ts";
import type { AppServer } from "../process/app-server.ts";
import { permission } from "../settings-file/old-block.ts";
import { permissionIsOurs } from "../settings-file/our-permission.ts";
import { type Fields, fieldsOf, listOf, textIn } from "../wire/fields.ts";
import type { UserLimits, UserWorkspace } from "./limits.ts";
import { request } from "../thread/requests.ts";

/** What the person's own codex settings say that matters to us. */
export type UserSettings = UserLimits & {
  readonly model: string | undefined;
  readonly mcpServers: Fields;
  /** The folders that they trust, or do not. */
  readonly projects: Fields;
  /** What they say of the environment of commands. */
  readonly shell: Fields;
};

/** What `talaria codex-runtime migrate` wrote there is not the person's. */
export async function readUserSettings(
  server: AppServer,
  { launch }: Pick<CodexPlan, "launch">,
  ports: Ports,
): Promise<UserSettings> {
  const reply = await request(server, "config/read", {}, ports).catch((error: unknown) => {
    if (error instanceof RpcError) return {}; // an old codex, or broken settings: `thread/start` says more
    throw error;
  });
  const config = fieldsOf(fieldsOf(reply)["config"]);
  const written = config["default_permissions"] ?? undefined;
  const profile = written === permission && (await permissionIsOurs(launch.home)) ? undefined : written;
  const sandbox = config["sandbox_mode"] ?? undefined;
  return {
    limitsAreSet: (sandbox ?? profile) !== undefined,
    sandbox,
    profile,
    profileHasNetwork: hasNetwork(fieldsOf(config["permissions"]), profile),
    workspace: workspaceOf(fieldsOf(config["sandbox_workspace_write"])),
    written: Object.values(fieldsOf(config["permissions"])).flatMap((each) =>
      writtenIn(fieldsOf(fieldsOf(each)["filesystem"])),
    ),
    policyIsSet: (config["approval_policy"] ?? null) !== null,
    model: textIn(config, "model"),
    mcpServers: fieldsOf(config["mcp_servers"]),
    projects: fieldsOf(config["projects"]),
    shell: fieldsOf(config["shell_environment_policy"]),
  };
}

/** What a profile does not say, the one says that it extends. */
function hasNetwork(profiles: Fields, name: unknown, depth = 0): boolean {
  const known = typeof name === "string" && depth < 10 ? fieldsOf(profiles[name]) : {};
  const enabled = fieldsOf(known["network"])["enabled"];
  if (typeof enabled === "boolean") return enabled;
  return known["extends"] !== undefined && hasNetwork(profiles, known["extends"], depth + 1);
}

/** A place has a right, or a table of what is below it. */
const writtenIn = (rights: Fields): readonly string[] =>
  Object.entries(rights).flatMap(([place, right]) =>
    right === "write" ? [place] : writtenIn(fieldsOf(right)).map((below) => join(place, below)),
  );

const workspaceOf = (fields: Fields): UserWorkspace => ({
  roots: listOf(fields["writable_roots"]).filter((root) => typeof root === "string"),
  network: fields["network_access"] === true,
  withoutTmp: fields["exclude_slash_tmp"] === true,
  withoutTmpdir: fields["exclude_tmpdir_env_var"] === true,
});
