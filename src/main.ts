import { existsSync, readFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { findModulesFast } from "./lib/fast-modules.ts";
import { systemClock } from "./lib/clock.ts";
import { isBundle, packageRoot } from "./lib/own-files.ts";
import { nameSourceFiles } from "./lib/source-names.ts";
import { localOwner, localProgram } from "./core/principal.ts";
import type { OpenClient, ToolClient } from "./core/host.ts";
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
const { start } = await import("./surfaces/cli/index.ts");
const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as {
  version: string;
};

/** How long a host that has ended may take to be gone. */
const leaveMs = 3000;
const tellOnStderr = (line: string): void => void process.stderr.write(`talaria: ${line}\n`);
const sources = { env: process.env, homeDir: homedir(), cwd: workingFolder() };
const host = () => import("./host/index.ts");
const socket = () => import("./surfaces/socket/index.ts");
/** What a surface sees of a host: whoever uses it sits at this machine. */
const clientFor =
  (surface: string, tell: (line: string) => void = tellOnStderr) =>
  async (options: HostOptions): Promise<OpenClient> => {
    const open = async (): Promise<OpenClient> =>
      (await host()).openClient({ ...sources, version, ...options }, localOwner(surface));
    const { profile, attach = true, skipRepair = false } = options;
    // Whoever runs no turn has no use for a host that runs them.
    if (!attach || skipRepair) return open();
    const where = { ...sources, surface, version, ...(profile === undefined ? {} : { profile }) };
    return (await socket()).attachOrOpen(where, { open, tell });
  };
const toolClient = async ({
  attach = true,
  ...how
}: Pick<HostOptions, "profile" | "attach">): Promise<ToolClient> => {
  const open = async (): Promise<ToolClient> => {
    // What a crash left is for a process that stays, and would make the other program wait; but for what still runs.
    const few = { skipRepair: true, endsOrphans: true } as const;
    const opened = await (await host()).openHost({ ...sources, version, ...few, ...how });
    const close = () => opened[Symbol.asyncDispose]();
    return { ...opened.as(localProgram("mcp")), openTools: opened.openTools, [Symbol.asyncDispose]: close };
  };
  if (!attach) return open();
  return (await socket()).attachTools(
    { ...sources, surface: "mcp", version, ...how },
    { open, tell: tellOnStderr },
  );
};
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
      // Its whole terminal is the screen's.
      { ...sources, version, openHost: clientFor("tui", () => {}), onSignal },
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
        openHost: toolClient,
        onSignal,
      },
      options,
    ),
  serve: async (options) => {
    const code = await (
      await import("./surfaces/serve/index.ts")
    ).serve(
      {
        ...sources,
        ...streams,
        version,
        openHost: async (how) => (await host()).openHost({ ...sources, version, ...how }),
        doors: [
          async (behind) => (await socket()).openSocket(behind),
          async (behind) => (await import("./surfaces/http/index.ts")).openHttp(behind),
          async (behind) => (await import("./surfaces/gateway/index.ts")).openGateway(behind),
        ],
        status: async (how) => (await socket()).statusOf({ ...sources, ...how }),
        onSignal,
      },
      options,
    );
    // Libraries of chat apps may go on with what they try, such as to connect: nothing of ours waits for that.
    void systemClock.sleep(leaveMs).then(() => process.exit(code));
    return code;
  },
  service: async (action, options) => {
    if (action === "install") await (await socket()).homeOf({ ...sources, ...options });
    return (await import("./surfaces/serve/index.ts")).service(
      { ...sources, ...streams, platform: process.platform },
      action,
      options,
    );
  },
  doors: async (how) => (await (await socket()).statusOf({ ...sources, ...how }))?.doors ?? [],
  openBare: async (options) =>
    (await host()).openBare(
      {
        ...sources,
        version,
        ...options,
        botsElsewhere: async () => (await (await socket()).statusOf({ ...sources, ...options }))?.bots,
      },
      localOwner("cli"),
    ),
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

process.exitCode = await start(ports);
process.stdin.destroy();

/** A folder that was removed under a shell is none that anything could be done in. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    tellOnStderr(
      `The folder you are in cannot be used (${(error as NodeJS.ErrnoException).code}): it was removed.`,
    );
    process.stderr.write("         Go to another one: cd ~\n");
    process.exit(1);
  }
}
