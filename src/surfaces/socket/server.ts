import { once } from "node:events";
import { chmod, rename, stat } from "node:fs/promises";
import { type Socket, createServer } from "node:net";
import { join } from "node:path";
import type { BehindDoor, Door } from "../../core/serving/door.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { selfIdentity } from "../../lib/process/process-identity.ts";
import { newSecret } from "../../lib/secret.ts";
import { settingsDigest, variableDigests } from "./agreement.ts";
import { type Connection, connection } from "./connection.ts";
import { type OwnSocket, keepFindable } from "./findable.ts";
import { placeForSocket, removeOwnServeFile, writeServeFile } from "./place.ts";
import { protocolVersion, schemaVersion } from "./protocol.ts";

/** After these the host goes on with what it has written into its settings, so whoever has the new ones still agrees. */
const writesSettings: ReadonlySet<string> = new Set(["runtime.setDefault", "tools.switch"]);

/** Listens in the home. Whoever comes in with the token is the owner at this machine. */
export async function openSocket(behind: BehindDoor, clock: Clock = systemClock): Promise<Door> {
  const { home, run } = behind.host.about;
  const token = newSecret();
  const connections = new Set<Connection>();
  const failed = (error: unknown): void => behind.log("socket", { error: String(error) });
  const onCalled = (name: string): void => {
    if (writesSettings.has(name)) void place.publish().catch(failed);
  };
  const take = (socket: Socket): void => {
    const open = connection(socket, { ...behind, token, onCalled });
    connections.add(open);
    void open.closed.then(() => connections.delete(open));
  };
  let place = await listen(behind, token, take);
  const renew = async (): Promise<void> => {
    await place[Symbol.asyncDispose]();
    place = await listen(behind, token, take);
  };
  const kept = keepFindable({ home, run, token, socket: () => place }, { ...behind, renew, clock });
  return {
    get address() {
      return place.path;
    },
    attached: () => [...connections].filter((one) => one.isAttached()).length,
    async [Symbol.asyncDispose]() {
      await kept[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
      for (const open of connections) open.close();
      await Promise.all([...connections].map(({ closed }) => closed));
    },
  };
}

/** Disposing leaves alone whoever has come in. */
type Listening = AsyncDisposable & OwnSocket & { publish(): Promise<void> };

async function listen(behind: BehindDoor, token: string, take: (socket: Socket) => void): Promise<Listening> {
  const { home, run, variables } = behind.host.about;
  await using stack = new AsyncDisposableStack();
  const { path, made, ...place } = await placeForSocket(run);
  stack.use(place);
  const files = [join(home, "config.yaml"), join(home, ".env")];
  const { pid, startTime } = selfIdentity();
  const publish = async (): Promise<void> =>
    writeServeFile(run, {
      protocol: protocolVersion,
      schema: schemaVersion,
      version: behind.version,
      home,
      pid,
      startTime,
      socket: path,
      token,
      settings: await settingsDigest(files),
      variables: variableDigests(token, variables, behind.env),
    });
  const server = createServer(take);
  server.listen(made);
  await once(server, "listening");
  stack.defer(() => void server.close());
  await chmod(made, 0o600);
  await rename(made, path);
  const { ino } = await stat(path);
  await publish();
  stack.defer(() => removeOwnServeFile(run, token));
  const owned = stack.move();
  return { path, ino, publish, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
