import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Fault } from "../../core/faults.ts";
import type { CodexBinary } from "../../runtimes/codex/process/binary.ts";
import { followed, isInside } from "../../lib/sandbox/paths.ts";
import { bubblewrapSandbox, startsByName } from "../../lib/sandbox/bubblewrap.ts";
import { minimumVersion, testedVersion } from "../../runtimes/codex/process/version.ts";
import { knownDrift } from "../codex-drift.ts";
import { type CodexLogin, usesOpenAi } from "../codex-login.ts";
import { type Facts, type ReadableSettings, needsCodex, needsLogin, usesCodexHome } from "./facts.ts";
import { type Finding, type Probe, fine, note, wrong, wrongIf } from "./probe.ts";

/** The codex that would run turns, its settings and its login. Whoever does not use it only gets notes. */
export function codexProbes(facts: Facts): readonly Probe[] {
  const { settings, store } = facts;
  if ("fault" in settings) return [];
  return [
    { name: "codex", look: async () => [programCheck(await settings.codex(), needsCodex(settings.loaded))] },
    { name: "codex settings", look: async () => settingsChecks(settings, await settings.login()) },
    { name: "codex bubblewrap", look: (signal) => bubblewrapChecks(settings, facts, signal) },
    { name: "codex login", look: async () => loginChecks(settings, await settings.login()) },
    { name: "codex drift", look: async () => driftChecks(await store()) },
    { name: "codex block", look: () => blockChecks(settings), limitMs: 25_000 },
  ];
}

function programCheck(found: CodexBinary | Fault, needed: boolean): Finding {
  if ("code" in found) {
    const detail = needed ? found.message : `${found.message} Only the codex runtime needs it.`;
    return wrongIf(needed, "codex", detail, found.next);
  }
  const { version, path, warning } = found;
  const detail = `codex ${version} at ${path}`;
  if (warning !== undefined) return note("codex", `${detail}; ${warning}`);
  return fine("codex", `${detail} (tried with ${minimumVersion} to ${testedVersion})`);
}

function settingsChecks({ loaded }: ReadableSettings, login: CodexLogin | undefined): readonly Finding[] {
  if (login === undefined) return [];
  const file = join(login.home, "config.toml");
  if (login.state === "settings") {
    const detail = `codex cannot read its settings: ${login.message}`;
    return [wrongIf(usesCodexHome(loaded), "codex settings", detail, stepFor(login, file))];
  }
  const loose = looseSettings(login.settings);
  if (loose.length > 0) return [note("codex settings", `${file}: ${loose.join("; ")}`)];
  return [
    fine("codex settings", existsSync(file) ? file : `${login.home}, no config.toml: codex's defaults`),
  ];
}

function stepFor({ message }: CodexLogin, file: string): string {
  if (message.includes("CODEX_HOME"))
    return "Make that folder, or correct CODEX_HOME (environment) or codex.home (config.yaml).";
  if (message.includes("approval_policy"))
    return `Remove approval_policy from ${file}; Talaria's own approvals ask: talaria approvals rules`;
  return `Correct ${file} at the place that it names. Until then turns on codex do not start.`;
}

/** What weakens codex's own sandbox, whatever Talaria's settings say. */
function looseSettings(keys: ReadonlyMap<string, string>): readonly string[] {
  return [
    keys.get("approval_policy") === "never"
      ? "approval_policy is never: codex declines what it would ask about"
      : "",
    keys.get("sandbox_mode") === "danger-full-access" ||
    keys.get("default_permissions") === ":danger-full-access"
      ? "its sandbox is off: commands on codex may do whatever you may, unless terminal.security_mode says otherwise"
      : "",
  ].filter((line) => line !== "");
}

/** Commands that do not see Talaria's home would need a helper that lies in there. */
async function bubblewrapChecks(
  { login, loaded }: ReadableSettings,
  { env, clock }: Facts,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const { root } = loaded.config.paths;
  const { home } = (await login()) ?? {};
  if (home === undefined || !isInside(await followed(home), await followed(root))) return [];
  const bwrap = await bubblewrapSandbox(env);
  if (bwrap === undefined || (await startsByName(bwrap.program, { clock, signal }))) return [];
  const detail = `${bwrap.program} is older than 0.9, and CODEX_HOME (${home}) lies in Talaria's home: on codex, commands of turns that nobody attends do not start`;
  const next = `Have a newer bubblewrap, or none (codex brings one along), or a CODEX_HOME outside of ${root}.`;
  return [note("codex bubblewrap", detail, next)];
}

async function loginChecks(
  { loaded }: ReadableSettings,
  login: CodexLogin | undefined,
): Promise<readonly Finding[]> {
  if (login === undefined || login.state === "settings") return [];
  const name = "codex login";
  const needed = needsLogin(loaded);
  switch (login.state) {
    case "in":
      return [fine(name, `${login.message} (${login.home})`)];
    case "unreadable":
      return [
        wrongIf(
          needed,
          name,
          `codex cannot read its login: ${login.message}`,
          "Log in again: talaria codex login",
        ),
      ];
    case "unknown":
      return [note(name, `codex did not say: ${login.message || "nothing"}`)];
    case "out":
      return [loggedOut(login, needed)];
  }
}

function loggedOut(login: CodexLogin, needed: boolean): Finding {
  const step = "talaria codex login";
  const detail = `not logged in (${login.home})`;
  if (!needed)
    return note(
      "codex login",
      `${detail}; only the providers openai and openai-codex on codex need it`,
      step,
    );
  if (usesOpenAi(login)) return wrong("codex login", detail, step);
  const provider = login.settings.get("model_provider") ?? "";
  return note("codex login", `${detail}; codex's own settings use ${provider}, which may not need it`);
}

/** Only when there is something to say. */
async function driftChecks(store: Awaited<ReturnType<Facts["store"]>>): Promise<readonly Finding[]> {
  const names = store === undefined ? [] : Object.entries(await knownDrift(store));
  if (names.length === 0) return [];
  const list = names.map(([name, times]) => `${name} (${times})`).join(", ");
  const next =
    "Nothing was lost by it. Update Talaria, or report it with a recording (talaria run --record).";
  return [note("codex drift", `codex has said things that this version does not know: ${list}`, next)];
}

/** What Talaria has written into codex's own config.toml, where it has. */
async function blockChecks({ login, migration }: ReadableSettings): Promise<readonly Finding[]> {
  const known = await login();
  if (known === undefined || known.state === "settings") return [];
  const file = join(known.home, "config.toml");
  const text = await readFile(file, "utf8").catch(() => "");
  const { hasMarks } = await import("../../runtimes/codex/settings-file/markers.ts");
  if (!hasMarks(text)) return [];
  const { diff } = await migration.run({ dryRun: true });
  if (diff === "") return [fine("codex block", `what Talaria wrote into ${file} is up to date`)];
  const detail = `what Talaria wrote into ${file} is no longer what its settings say`;
  const next = "talaria codex-runtime migrate brings it up to date; --dry-run shows the difference.";
  return [note("codex block", detail, next)];
}
