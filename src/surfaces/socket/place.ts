import { lstat, mkdtemp, readFile, readlink, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Refusal } from "../../core/host.ts";
import { ensurePrivateDir, writeFileAtomic } from "../../lib/files/atomic-file.ts";
import { type ProcessIdentity, isAlive } from "../../lib/process/process-identity.ts";

/** What a host that stays leaves in its home, for whoever wants to use it. For this person alone: it has the token. */
export type ServeFile = ProcessIdentity & {
  readonly protocol: number;
  readonly schema: number;
  readonly version: string;
  readonly home: string;
  /** Where to connect. The socket is in `run`, also when this is a short way to it. */
  readonly socket: string;
  readonly token: string;
  /** What a client has to agree with. */
  readonly settings: string;
  readonly variables: Readonly<Record<string, string>>;
};

const socketName = "serve.sock";
/** Longer ones do not fit into the address of a socket: 108 bytes on Linux, 104 on a Mac, an end mark included. */
const longestPath = 103;

const fileIn = (run: string): string => join(run, "serve.json");

/** `undefined`: nobody serves this home. */
export async function readServeFile(run: string): Promise<ServeFile | undefined> {
  const text = await readFile(fileIn(run), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const found = parsed(text);
  return found !== undefined && isAlive(found) ? found : undefined;
}

export const writeServeFile = (run: string, file: ServeFile): Promise<void> =>
  writeFileAtomic(fileIn(run), `${JSON.stringify(file)}\n`, { mode: 0o600 });

const removeServeFile = (run: string): Promise<void> => rm(fileIn(run), { force: true });

/** Unless it is another's by now: a host that was stopped for long may have been replaced. */
export async function removeOwnServeFile(run: string, token: string): Promise<void> {
  const left = await readFile(fileIn(run), "utf8").then(parsed, () => undefined);
  if (left?.token === token) await removeServeFile(run);
}

type Place = AsyncDisposable & {
  readonly path: string;
  /** Where to listen at first: who closes a socket removes the name that it was made with, whoever has that by then. */
  readonly made: string;
};

/** Where the socket of a new host will be. What an earlier one left there is taken away: whoever calls this is the executor. */
export async function placeForSocket(run: string): Promise<Place> {
  await requireFree(run, "isDirectory");
  await ensurePrivateDir(run);
  const left = await readFile(fileIn(run), "utf8").then(parsed, () => undefined);
  if (left !== undefined && isShortWay(left.socket)) await rm(dirname(dirname(left.socket)), gone);
  await removeServeFile(run);
  const socket = join(run, socketName);
  await requireFree(socket, "isSocket");
  await rm(socket, { force: true });
  const leave = async (): Promise<void> => {
    const isServed = await stat(fileIn(run)).catch(() => undefined);
    if (isServed === undefined) await rm(socket, { force: true });
  };
  if (Buffer.byteLength(socket) <= longestPath) return { ...namesIn(run), [Symbol.asyncDispose]: leave };
  const folder = await mkdtemp(join(tmpdir(), shortWay));
  await symlink(run, join(folder, "run"));
  return {
    ...namesIn(join(folder, "run")),
    async [Symbol.asyncDispose]() {
      await leave();
      await rm(folder, gone);
    },
  };
}

/**
 * Nothing is there, or what belongs there. What somebody else has put there is left alone: a link would have us take the rights of
 * others from whatever it leads to.
 */
async function requireFree(path: string, kind: "isDirectory" | "isSocket"): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || found[kind]()) return;
  const is = found.isSymbolicLink() ? `a link to ${await readlink(path)}` : "something else";
  const wanted = kind === "isSocket" ? "a socket of its own" : "a folder of its own, for its socket";
  throw new Refusal("config", `Talaria wants ${wanted} at ${path}, which is ${is}.`, `Move ${path} away.`);
}

const namesIn = (folder: string): Pick<Place, "path" | "made"> => ({
  path: join(folder, socketName),
  made: join(folder, `s${process.pid}`),
});

/** A link is removed, not what it leads to. */
const gone = { recursive: true, force: true } as const;
const shortWay = "talaria-";
const isShortWay = (path: string): boolean =>
  dirname(dirname(dirname(path))) === tmpdir() &&
  dirname(path).endsWith("/run") &&
  path.includes(`/${shortWay}`);

function parsed(text: string): ServeFile | undefined {
  try {
    const file = JSON.parse(text) as Partial<ServeFile>;
    const texts = [file.startTime, file.socket, file.token, file.home, file.version, file.settings];
    return texts.every((one) => typeof one === "string") && typeof file.pid === "number"
      ? (file as ServeFile)
      : undefined;
  } catch {
    return undefined;
  }
}
