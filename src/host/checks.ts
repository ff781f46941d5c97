import { stat } from "node:fs/promises";
import type { Loaded } from "../config/config.ts";
import { findingText } from "../config/config.ts";
import type { Check } from "../core/host.ts";
import type { Owner, Store } from "../store/store.ts";
import { knownDrift } from "./codex-drift.ts";
import type { Routes } from "./routes.ts";
import type { HostShell } from "./shell.ts";

/** What `doctor` looks at, in the order in which it matters. Changes nothing. */
export async function checks(
  loaded: Loaded,
  store: Store,
  routes: Routes,
  isGone: (owner: Owner) => boolean,
  env: Readonly<Record<string, string | undefined>>,
  shell: Pick<HostShell, "fence">,
): Promise<readonly Check[]> {
  return [
    nodeCheck(),
    await homeCheck(loaded.config.home),
    ...settingsChecks(loaded),
    await routeCheck(loaded, routes),
    await codexCheck(loaded, env),
    await fenceCheck(shell),
    approvalsCheck(loaded),
    ...(await driftChecks(store)),
    await storeCheck(store, loaded.config.paths.db),
    await leftoverCheck(store, isGone),
  ];
}

function nodeCheck(): Check {
  const [major = 0] = process.versions.node.split(".").map(Number);
  const detail = `Node ${process.versions.node}, SQLite ${process.versions["sqlite"] ?? "unknown"}`;
  if (major >= 24) return { name: "node", ok: true, detail };
  return {
    name: "node",
    ok: false,
    detail,
    next: "Start Talaria through bin/talaria, which finds Node 24 or newer.",
  };
}

async function homeCheck(home: string): Promise<Check> {
  const { mode } = await stat(home);
  const open = mode & 0o077;
  const detail = `${home} (mode ${(mode & 0o777).toString(8)})`;
  if (open === 0) return { name: "home", ok: true, detail };
  return { name: "home", ok: false, detail: `${detail} can be read by others`, next: `chmod 700 ${home}` };
}

function settingsChecks({ config, warnings }: Loaded): readonly Check[] {
  if (warnings.length === 0) return [{ name: "settings", ok: true, detail: config.paths.config }];
  return warnings.map((warning) => ({
    name: "settings",
    ok: false,
    detail: findingText(warning),
    next: `Change or remove it in ${warning.file}.`,
  }));
}

async function routeCheck({ config }: Loaded, routes: Routes): Promise<Check> {
  const route = await routes.find(undefined);
  if ("code" in route) return { name: "model", ok: false, detail: route.message, next: route.next };
  const demo = config.model.provider === "demo" ? ", the built-in offline model" : "";
  return { name: "model", ok: true, detail: `${route.model} at ${route.name} (${route.protocol}${demo})` };
}

async function fenceCheck(shell: Pick<HostShell, "fence">): Promise<Check> {
  const { fenced, text } = await shell.fence();
  if (fenced) return { name: "sandbox", ok: true, detail: `commands of the loop ${text}` };
  const next = "Install codex or bubblewrap, or live with being asked for every command.";
  return { name: "sandbox", ok: false, detail: `commands of the loop: ${text}`, next };
}

function approvalsCheck({ config }: Loaded): Check {
  const { mode, deny } = config.approvals;
  const open = mode === "off" || config.terminal.securityMode === "unrestricted";
  const denied = deny.length === 0 ? "" : `, ${deny.length} of your own rules`;
  const detail = open
    ? "nothing asks: only what is never done and your deny list are held back"
    : `${mode}${denied}; on the loop they see every action, on codex what codex asks about`;
  return { name: "approvals", ok: true, detail };
}

/** Only somebody who has chosen codex needs it. */
async function codexCheck(
  { config }: Loaded,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Check> {
  const { findOwnCodex } = await import("./codex-plan.ts");
  const found = await findOwnCodex(config, env);
  if (!("code" in found)) {
    const detail = `codex ${found.version} at ${found.path}`;
    return {
      name: "codex",
      ok: true,
      detail: found.warning === undefined ? detail : `${detail}; ${found.warning}`,
    };
  }
  const needed = config.model.runtime === "codex";
  const detail = needed ? found.message : `${found.message} Only the codex runtime needs it.`;
  return { name: "codex", ok: !needed, detail, ...(needed ? { next: found.next } : {}) };
}

/** Only when there is something to say. */
async function driftChecks(store: Store): Promise<readonly Check[]> {
  const names = Object.entries(await knownDrift(store));
  if (names.length === 0) return [];
  const detail = `codex has said things that this version does not know: ${names.map(([name, times]) => `${name} (${times})`).join(", ")}`;
  const next =
    "Nothing was lost by it. Update Talaria, or report it with a recording (talaria run --record).";
  return [{ name: "codex drift", ok: false, detail, next }];
}

async function storeCheck(store: Store, file: string): Promise<Check> {
  const [newest] = await store.sessions.list({ limit: 1 });
  const detail = newest === undefined ? `${file}, no sessions yet` : `${file}, newest session ${newest.id}`;
  return { name: "store", ok: true, detail };
}

async function leftoverCheck(store: Store, isGone: (owner: Owner) => boolean): Promise<Check> {
  const children = (await store.processes.list()).filter((child) => isGone(child.owner));
  const open = await store.turns.listOpen();
  const detail = `${children.length} processes and ${open.length} open turns`;
  if (children.length === 0) return { name: "leftovers", ok: true, detail };
  return {
    name: "leftovers",
    ok: false,
    detail,
    next: "They are ended when the next turn starts: talaria run …",
  };
}
