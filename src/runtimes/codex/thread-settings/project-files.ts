import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { RpcError } from "../../../lib/rpc/rpc-message.ts";
import type { Ports } from "../../runtime.ts";
import type { AppServer } from "../process/app-server.ts";
import { fieldsOf, listOf, textIn } from "../wire/fields.ts";
import { request } from "../thread/requests.ts";

/**
 * Settings of a thread in which codex takes nothing that a repository says to agents for itself: neither its AGENTS.md nor
 * its skills, which codex lists also where the folder is not trusted. What of them the model is to have, it has from us, by
 * the same rules on every runtime. What the person keeps in codex's home and in theirs stays.
 */
export async function withoutProjectFiles(
  server: AppServer,
  cwd: string,
  ports: Pick<Ports, "signal">,
): Promise<object> {
  return { project_doc_max_bytes: 0, ...(await withoutSkills(server, cwd, ports)) };
}

async function withoutSkills(server: AppServer, cwd: string, ports: Pick<Ports, "signal">): Promise<object> {
  if (!hasSkills(cwd)) return {};
  const params = { cwds: [cwd], forceReload: true };
  const reply = await request(server, "skills/list", params, ports).catch((error: unknown) => {
    if (error instanceof RpcError) return undefined;
    throw error;
  });
  if (reply === undefined) return { "skills.include_instructions": false };
  const skills = listOf(fieldsOf(reply)["data"]).flatMap((entry) => listOf(fieldsOf(entry)["skills"]));
  const off = skills.map(fieldsOf).flatMap((skill) => {
    const path = textIn(skill, "path");
    // The list replaces the person's own, so what they have switched off is named again.
    const isOff = skill["scope"] === "repo" || skill["enabled"] === false;
    return isOff && path !== undefined ? [{ path, enabled: false }] : [];
  });
  return off.length === 0 ? {} : { "skills.config": off };
}

/** Codex looks in the folder and in those above it. Most have none, and then it need not be asked with every turn. */
function hasSkills(folder: string): boolean {
  if ([".agents/skills", ".codex/skills"].some((name) => isThere(join(folder, name)))) return true;
  const parent = dirname(folder);
  return parent !== folder && hasSkills(parent);
}

/** A promise would take fifty times as long to say that it is not. */
function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // it may not be looked at, by codex neither
  }
}
