import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { testFolder } from "../../../test/temp-folder.ts";
import { FaultError } from "../../core/faults.ts";
import { asId } from "../../core/ids.ts";
import { connectTo } from "./client.ts";
import { protocolVersion, schemaVersion } from "./protocol.ts";

test("whoever wants to stop a turn does not wait for a host that hangs", async (t) => {
  const socket = join(await testFolder(t), "s");
  const server = createServer((end) => {
    end.on("data", (chunk) => {
      // It hears everything, and answers the first alone.
      const [first = ""] = String(chunk).split("\n");
      const { id, method } = JSON.parse(first) as { id: number; method: string };
      if (method === "hello")
        end.write(`${JSON.stringify({ id, result: { version: "test", cursor: "" } })}\n`);
    });
  });
  server.listen(socket);
  await once(server, "listening");
  t.after(() => void server.close());
  const clock = fakeClock();
  const told: string[] = [];
  const hello = { protocol: protocolVersion, schema: schemaVersion, token: "", surface: "cli", terminal: {} };
  await using client = await connectTo(
    { socket, pid: 77 },
    hello,
    new AbortController().signal,
    (line) => told.push(line),
    clock,
  );
  const stopped = client.call("turns.stop", { session: asId<"ses">("ses_1") });
  const refused = assert.rejects(
    stopped,
    (error) => error instanceof FaultError && /pid 77/.test(error.message),
  );
  await clock.advance(2000);
  assert.deepEqual(told, []);
  await clock.advance(3000);
  await refused;
  assert.match(told.join(), /pid 77\) does not answer/);
});
