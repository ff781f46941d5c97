import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../lib/clock.ts";
import { runCommand } from "../lib/process/command.ts";
import { launchOptions } from "../runtimes/codex/process/launch.ts";
import type { Config } from "../config/config.ts";
import { clean } from "../core/plain-text.ts";

/**
 * Where codex stands with its own settings and login. `settings`: it cannot read them. `unknown`: it did not say.
 */
export type CodexLogin = {
  readonly state: "in" | "out" | "settings" | "unreadable" | "unknown";
  /** In codex's words, without keys. */
  readonly message: string;
  /** The CODEX_HOME that takes effect. */
  readonly home: string;
  /** Of its settings what stands before the first table, as far as it is plain text. */
  readonly settings: ReadonlyMap<string, string>;
};

const limitMs = 8_000;

/** Asks codex itself. It looks into its files and nowhere else: no network, nothing is used up. */
export async function codexLogin(
  binary: string,
  { codex }: Pick<Config, "codex">,
  env: Readonly<Record<string, string | undefined>>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<CodexLogin> {
  const own = codex.home === undefined ? {} : { codexHome: codex.home };
  const launch = launchOptions({ binary, env, passEnv: codex.env, ...own });
  const result = await runCommand({
    command: binary,
    args: ["login", "status"],
    cwd: "/",
    env: launch.env,
    clock,
    signal,
    timeoutMs: limitMs,
    maxOutputBytes: 16_384,
  });
  const text = wordsOf(`${result.stdout}\n${result.stderr}`);
  return {
    ...parseStatus(text, result),
    home: launch.home,
    settings: await rootKeys(join(launch.home, "config.toml")),
  };
}

/** Is it the login that turns need, or do codex's own settings name a provider that may do without? */
export const usesOpenAi = ({ settings }: CodexLogin): boolean =>
  (settings.get("model_provider") ?? "openai") === "openai";

/** Enough for a look: codex itself has checked the file. */
async function rootKeys(file: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(file, "utf8").catch(() => "");
  const [root = ""] = text.replace(/^\uFEFF/, "").split(/^\s*\[/m, 1);
  const pairs = root.matchAll(/^\s*([\w-]+)\s*=\s*["']([^"'\n]*)["']/gm);
  return new Map([...pairs].map(([, key = "", value = ""]) => [key, value]));
}

type LoginStatus = Pick<CodexLogin, "state" | "message">;

function parseStatus(
  text: string,
  { code, timedOut }: { readonly code: number | null; readonly timedOut: boolean },
): LoginStatus {
  if (timedOut) return { state: "unknown", message: `it did not answer within ${limitMs / 1000} s` };
  if (code === 0) return { state: "in", message: text };
  if (/^not logged in/i.test(text)) return { state: "out", message: text };
  const settings = /^Error loading configuration:\s*(.+)$/is.exec(text);
  if (settings !== null) return { state: "settings", message: settings[1] ?? text };
  const login = /^Error checking login status:\s*(.+)$/is.exec(text);
  if (login !== null) return { state: "unreadable", message: login[1] ?? text };
  return { state: "unknown", message: text };
}

/** What follows the dash is a part of the key, which is nobody's business. */
const wordsOf = (output: string): string =>
  clean(output)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("WARNING:"))
    .join(" ")
    .replace(/ - \S*\*{2,}\S*/, "")
    .replace(" Authentication is checked when you send a request.", "")
    .slice(0, 400);
