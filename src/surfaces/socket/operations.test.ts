import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { testFolder } from "../../../test/temp-folder.ts";
import type { BehindDoor, ServeStatus } from "../../core/serving/door.ts";
import type { Host } from "../../core/host.ts";
import type { Principal } from "../../core/principal.ts";
import { openHost } from "../../host/index.ts";
import type { Edge } from "../../operations/edge.ts";
import { type OperationsWorld, operationsSuite } from "../../operations/operations.suite.ts";
import { wordsSuite } from "../../operations/words.suite.ts";
import { migrations } from "../../store/sqlite/schema.ts";
import { connectTo } from "./client.ts";
import { readServeFile } from "./place.ts";
import { protocolVersion, schemaVersion } from "./protocol.ts";
import { openSocket } from "./server.ts";

test("a client knows the schema of its store without loading it", () => {
  assert.equal(schemaVersion, migrations.length, "write the new number into src/surfaces/socket/protocol.ts");
});

const world = async (t: TestContext): Promise<OperationsWorld> => {
  const folder = await testFolder(t);
  const [home, cwd] = [join(folder, "home"), join(folder, "work")];
  await mkdir(cwd, { recursive: true });
  const env = { PATH: process.env["PATH"], HOME: folder, TALARIA_HOME: home };
  const host = await openHost({ env, homeDir: folder, cwd, version: "test" });
  t.after(() => host[Symbol.asyncDispose]());
  const doors = new Map<string, Edge>();
  return {
    cwd,
    connect(caller) {
      const name = JSON.stringify(caller);
      const door = doors.get(name) ?? overSocket(t, host, caller, join(folder, `run${doors.size}`));
      doors.set(name, door);
      return door;
    },
  };
};

operationsSuite("over the socket", world);
wordsSuite("over the socket", world);

const nobodyAsks = (): Promise<ServeStatus> => Promise.reject(new Error("nobody asks"));

/** A door for this caller alone: at the real one everybody is the owner at this machine. */
function overSocket(t: TestContext, host: Host, caller: Principal, run: string): Edge {
  const behind: BehindDoor = {
    host: { ...host, about: { ...host.about, run }, as: (who) => host.as("terminal" in who ? caller : who) },
    env: {},
    version: "test",
    status: nobodyAsks,
    log: () => {},
  };
  const opened = (async () => {
    const door = await openSocket(behind);
    t.after(() => door[Symbol.asyncDispose]());
    const { token = "" } = (await readServeFile(run)) ?? {};
    const hello = { protocol: protocolVersion, schema: schemaVersion, token, surface: "cli", terminal: {} };
    const client = await connectTo(
      { socket: door.address, pid: process.pid },
      hello,
      new AbortController().signal,
      () => {},
    );
    t.after(() => client[Symbol.asyncDispose]());
    return client;
  })();
  return {
    open: async (name, input, signal) =>
      (await opened).call(name as never, input as never, signal) as AsyncIterable<unknown>,
    ask: async (name, input, signal) => (await opened).call(name as never, input as never, signal),
    async *stream(name, input, signal) {
      yield* (await opened).call(name as never, input as never, signal) as AsyncIterable<unknown>;
    },
  };
}
