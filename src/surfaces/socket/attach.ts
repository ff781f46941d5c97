import { misspeltVariables } from "../../config/environment.ts";
import { findingText } from "../../config/findings.ts";
import { findHome } from "../../config/home.ts";
import type { ServeStatus } from "../../core/serving/door.ts";
import { type OpenClient, Refusal, type ToolClient } from "../../core/host.ts";
import { systemClock, timeLimit } from "../../lib/clock.ts";
import { isAlive } from "../../lib/process/process-identity.ts";
import { terminalEnvironment } from "../../lib/process/terminal-environment.ts";
import { disagreement } from "./agreement.ts";
import { type SocketClient, connectTo } from "./client.ts";
import { type ServeFile, readServeFile } from "./place.ts";
import { type Hello, protocolVersion, schemaVersion } from "./protocol.ts";
import { hostGone } from "./replaceable-host.ts";
import { endIt } from "./silence.ts";
import { releasing, warned } from "./releasing.ts";
import { steadyClient } from "./steady-client.ts";
import { steadyTools } from "./steady-tools.ts";

export type AttachSources = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  readonly profile?: string;
  /** Where the person is: cli, tui, acp; or mcp, where a program is. */
  readonly surface: string;
  /** Of this program. */
  readonly version: string;
};

type Looking = Omit<AttachSources, "surface" | "version">;

type Ways<Opened = OpenClient> = {
  /** Opens the home in this process. */
  readonly open: () => Promise<Opened>;
  /** Something the person should know. */
  readonly tell: (line: string) => void;
};

/** How long a host that answers may take for it. */
const helloMs = 2000;

/**
 * A client of the host that serves this home; if none does, or it is not for us, of one that is opened here. When the host goes
 * away the client goes on with another one.
 */
export async function attachOrOpen(sources: AttachSources, { open, tell }: Ways): Promise<OpenClient> {
  const found = await attachable(sources, tell);
  if (found === undefined) return open();
  if ("client" in found) {
    // Opened again without a word: it was told that the host has gone.
    const client = steadyClient(found.client, {
      open: () => attachOrOpen(sources, { open, tell: () => {} }),
      onGone: tell,
    });
    // The host has its own environment, and says nothing of this one.
    return warned(client, ...misspeltVariables(sources.env).map(findingText));
  }
  const client = releasing(await open(), found.socket);
  // A screen has no other place for a line; it shows warnings when it begins.
  if (sources.surface === "tui") return warned(client, found.line);
  tell(found.line);
  return client;
}

/** The same for a program that wants our tools for a model of its own. */
export async function attachTools(
  sources: AttachSources,
  { open, tell }: Ways<ToolClient>,
): Promise<ToolClient> {
  const found = await attachable(sources, tell);
  if (found === undefined) return open();
  if ("client" in found) {
    const elsewhere = (): Promise<ToolClient> => {
      tell(hostGone);
      return attachTools(sources, { open, tell: () => {} });
    };
    return { ...found.client, openTools: (options) => steadyTools(found.client, options, elsewhere) };
  }
  tell(found.line);
  return open();
}

/** Or what is in the way of it, in a line for people; `undefined`: nobody serves this home, or nobody wants to attach. */
async function attachable(
  sources: AttachSources,
  tell: (line: string) => void,
): Promise<
  { readonly client: SocketClient } | { readonly line: string; readonly socket: string } | undefined
> {
  if (/^(?:0|no|off|false)$/i.test(sources.env["TALARIA_ATTACH"]?.trim() ?? "")) return undefined;
  const found = await findServer(sources);
  if (found === undefined) return undefined;
  const attached = await attachTo(found, sources, tell);
  if (typeof attached !== "string") return { client: attached };
  if (found.schema < schemaVersion)
    throw new Refusal(
      "usage",
      `A host of an older version (${found.version}) serves this home, and this version would have to change the store under it.`,
      "End that one first: talaria serve --status says which it is.",
    );
  const line = `not attached to the host that serves this home (pid ${found.pid}): ${attached}`;
  return { line, socket: found.socket };
}

/** What the host that serves this home does; `undefined`: there is none. */
export async function statusOf(sources: Looking): Promise<ServeStatus | undefined> {
  const found = await findServer(sources);
  if (found === undefined) return undefined;
  using limit = timeLimit(systemClock, helloMs, { hold: true });
  const hello = helloTo(found, { ...sources, surface: "cli" });
  try {
    await using client = await connectTo(found, hello, limit.signal, () => {});
    return await client.status();
  } catch (error) {
    // Its process lives, so it has the home, whatever has become of its socket.
    if (!isAlive(found)) return undefined;
    const why = limit.signal.aborted ? "does not answer" : `cannot be asked: ${(error as Error).message}`;
    throw new Refusal("busy", `A host serves this home (pid ${found.pid}) and ${why}.`, endIt(found.pid));
  }
}

/** Where the home of this profile is. Rejects when there is no such profile. */
export async function homeOf({ profile, ...sources }: Looking): Promise<string> {
  return (await findHome({ ...sources, flags: profile === undefined ? {} : { profile } })).home;
}

async function findServer(
  sources: Looking,
): Promise<(ServeFile & { readonly files: readonly string[]; readonly here: string }) | undefined> {
  const flags = sources.profile === undefined ? {} : { profile: sources.profile };
  const { home, paths } = await findHome({ ...sources, flags });
  const found = await readServeFile(paths.run);
  return found && { ...found, here: home, files: [paths.config, paths.env] };
}

/** Or why not, in words that go behind a colon. */
async function attachTo(
  found: NonNullable<Awaited<ReturnType<typeof findServer>>>,
  sources: AttachSources,
  tell: Ways["tell"],
): Promise<SocketClient | string> {
  const isSameForm = found.protocol === protocolVersion && found.schema === schemaVersion;
  // Also where the two would understand each other: a newer version does something else, or it would not be one.
  if (!isSameForm || found.version !== sources.version)
    return `it is another version (${found.version}; this is ${sources.version})`;
  const why = await disagreement(found, { home: found.here, files: found.files, env: sources.env });
  if (why !== undefined) return why;
  const silent = new Error(`it does not answer. ${endIt(found.pid)}`);
  using limit = timeLimit(systemClock, helloMs, { why: silent, hold: true });
  try {
    const client = await connectTo(found, helloTo(found, sources), limit.signal, tell);
    if (client.welcome.stopping !== true) return client;
    await client[Symbol.asyncDispose]();
    return "it is being stopped, and takes no more work";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The host leaves out once more what it knows for a secret. */
const helloTo = ({ token }: ServeFile, { env, surface }: Pick<AttachSources, "env" | "surface">): Hello => ({
  protocol: protocolVersion,
  schema: schemaVersion,
  token,
  surface,
  terminal: terminalEnvironment(env, { named: [], isSecret: () => false }),
});
