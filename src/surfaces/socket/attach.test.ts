import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, mkdir, rm, stat, symlink } from "node:fs/promises";
import { type Socket, createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, describe, test } from "node:test";
import { testFolder } from "../../../test/temp-folder.ts";
import { type OpenClient, Refusal } from "../../core/host.ts";
import { selfIdentity } from "../../lib/process/process-identity.ts";
import { settingsDigest } from "./agreement.ts";
import { attachOrOpen, statusOf } from "./attach.ts";
import { placeForSocket, writeServeFile } from "./place.ts";
import { protocolVersion, schemaVersion } from "./protocol.ts";

/** A home that a host of version 1 serves, which answers with this. */
async function served(t: TestContext, welcome: object = {}) {
  const home = await testFolder(t);
  const run = join(home, "run");
  const socket = join(run, "serve.sock");
  await mkdir(run, { mode: 0o700 });
  const answers: Readonly<Record<string, object>> = {
    hello: { version: "1", cursor: "", ...welcome },
    call: { warnings: ["of the host"] },
  };
  const server = createServer((end: Socket) => {
    end.on("data", (chunk) => {
      for (const line of String(chunk).trim().split("\n")) {
        const { id, method } = JSON.parse(line) as { id: number; method: string };
        end.write(`${JSON.stringify({ id, result: answers[method] ?? {} })}\n`);
      }
    });
  });
  server.listen(socket);
  await once(server, "listening");
  t.after(() => void server.close());
  await writeServeFile(run, {
    ...selfIdentity(),
    protocol: protocolVersion,
    schema: schemaVersion,
    version: "1",
    home,
    socket,
    token: "t",
    settings: await settingsDigest([join(home, "config.yaml"), join(home, ".env")]),
    variables: {},
  });
  return { home, socket, env: { TALARIA_HOME: home } };
}

/** What becomes of a command of this version: what it is told, and what its client warns of. */
async function attach(env: Readonly<Record<string, string>>, version: string) {
  const told: string[] = [];
  const own = { call: async () => ({ warnings: ["opened here"] }), [Symbol.asyncDispose]: async () => {} };
  const sources = { env, homeDir: "/nowhere", surface: "cli", version };
  await using client = await attachOrOpen(sources, {
    open: async () => own as unknown as OpenClient,
    tell: (line) => told.push(line),
  });
  return { told: told.join("\n"), warnings: (await client.call("host.status", {})).warnings };
}

describe("a command and the host that serves its home", () => {
  test("are joined when they are of the same version, and the command's own warnings are said", async (t) => {
    const { env } = await served(t);
    assert.deepEqual(await attach(env, "1"), { told: "", warnings: ["of the host"] });
    const { warnings } = await attach({ ...env, TALARIA_ATACH: "0" }, "1");
    assert.match(warnings.join("\n"), /of the host\n.*did you mean TALARIA_ATTACH\?/);
  });

  test("are not when one is of another version, or the host is being stopped, and that is said", async (t) => {
    const { env } = await served(t);
    const newer = await attach(env, "2");
    assert.match(newer.told, /not attached .*another version \(1; this is 2\)/);
    assert.deepEqual(newer.warnings, ["opened here"]);
    const stopping = await attach((await served(t, { stopping: true })).env, "1");
    assert.match(stopping.told, /not attached .*is being stopped/);
    assert.deepEqual(stopping.warnings, ["opened here"]);
  });

  test("are not when the environment says no", async (t) => {
    const { env } = await served(t);
    for (const no of ["0", "no"])
      assert.deepEqual(await attach({ ...env, TALARIA_ATTACH: no }, "1"), {
        told: "",
        warnings: ["opened here"],
      });
  });
});

test("a host that lives and cannot be asked is named, with what to do", async (t) => {
  const { env, socket } = await served(t);
  await rm(socket);
  await assert.rejects(
    statusOf({ env, homeDir: "/nowhere" }),
    (error) =>
      error instanceof Refusal &&
      error.message.includes(`(pid ${process.pid}) and cannot be asked`) &&
      error.next.includes(`kill -9 ${process.pid}`),
  );
});

test("the folder for the socket is no link, and what a link leads to stays as it is", async (t) => {
  const folder = await testFolder(t);
  const others = join(folder, "others");
  await mkdir(others);
  await chmod(others, 0o755);
  const run = join(folder, "run");
  await symlink(others, run);
  await assert.rejects(
    placeForSocket(run),
    (error) => error instanceof Refusal && /a link to .*others/.test(error.message),
  );
  assert.equal((await stat(others)).mode & 0o777, 0o755);
  const busy = join(folder, "busy");
  await mkdir(join(busy, "serve.sock"), { recursive: true });
  await assert.rejects(placeForSocket(busy), (error) => error instanceof Refusal && /Move/.test(error.next));
});
