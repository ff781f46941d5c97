import { existsSync, readFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { findModulesFast } from "./lib/fast-modules.ts";
import { isBundle, packageRoot } from "./lib/own-files.ts";
import { nameSourceFiles } from "./lib/source-names.ts";
import { localOwner } from "./core/principal.ts";
import type { OpenClient } from "./core/host.ts";
import type { CliPorts, HostOptions } from "./surfaces/cli/index.ts";

// Whatever we create is for this person alone.
process.umask(0o077);

const home = process.env["TALARIA_HOME"] ?? join(homedir(), ".talaria");
// Halves the start-up time. Only inside a home that exists: looking around leaves no trace.
const cache = join(home, "cache");
if (isAbsolute(home) && existsSync(home)) enableCompileCache(cache);
// The launcher has set it for us alone, not for whatever a turn starts.
if (process.env["NODE_COMPILE_CACHE"] === cache) delete process.env["NODE_COMPILE_CACHE"];

if (isBundle) nameSourceFiles();
else findModulesFast();
const { runCli } = await import("./surfaces/cli/index.ts");
const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as {
  version: string;
};

const sources = { env: process.env, homeDir: homedir(), cwd: process.cwd() };
const host = () => import("./host/index.ts");
/** What a surface sees of a host: whoever uses it sits at this machine. */
const clientFor =
  (surface: string) =>
  async (options: HostOptions): Promise<OpenClient> =>
    (await host()).openClient({ ...sources, version, ...options }, localOwner(surface));
const onSignal = (
  names: readonly NodeJS.Signals[],
  callback: (signal: NodeJS.Signals) => void,
): (() => void) => {
  for (const name of names) process.on(name, callback);
  return () => {
    for (const name of names) process.off(name, callback);
  };
};
const streams = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
const ports: CliPorts = {
  ...sources,
  ...streams,
  argv: process.argv.slice(2),
  version,
  openHost: clientFor("cli"),
  screen: async (options) =>
    (await import("./surfaces/tui/index.ts")).screen(
      { ...sources, version, openHost: clientFor("tui"), onSignal },
      options,
    ),
  acp: async (options) =>
    (await import("./surfaces/acp/index.ts")).acp(
      { ...streams, version, openHost: clientFor("acp"), onSignal },
      options,
    ),
  mcp: async (options) =>
    (await import("./surfaces/mcp/index.ts")).mcp(
      {
        ...sources,
        ...streams,
        version,
        openHost: async (how) => (await host()).openHost({ ...sources, version, ...how }),
        onSignal,
      },
      options,
    ),
  openBare: async (options) =>
    (await host()).openBare({ ...sources, version, ...options }, localOwner("cli")),
  setup: async (options) => (await host()).openSetup({ ...sources, version, ...options }),
  onInterrupt: (callback) => onSignal(["SIGINT", "SIGTERM"], callback),
  onReaderGone: (callback) => {
    const onError = (error: NodeJS.ErrnoException): void => void (error.code === "EPIPE" && callback());
    process.stdout.once("error", onError);
    return () => void process.stdout.off("error", onError);
  },
  newKey: () => crypto.randomUUID(),
};

// A reader or a terminal that has gone away (`talaria … | head`) must not look like a crash; `run` stops its turn.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
  });
}

process.exitCode = await runCli(ports);
process.stdin.destroy();
