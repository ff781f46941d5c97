import assert from "node:assert/strict";
import { test } from "node:test";
import { RpcError } from "../../../lib/rpc/rpc-message.ts";
import type { AppServer } from "../process/app-server.ts";
import { RequestTimedOut } from "../process/gone.ts";
import { canFindTools } from "./tool-finding.ts";

const { signal } = new AbortController();

function serverThat(answer: () => unknown) {
  const asked: string[] = [];
  const request: AppServer["request"] = async (method) => {
    asked.push(method);
    return answer();
  };
  return { asked, server: { request } as AppServer };
}

test("models of codex's own catalogue find tools by searching, and no others; it is asked once", async () => {
  const { asked, server } = serverThat(() => ({ data: [{ model: "known" }, { id: "nameless" }, null] }));
  assert.equal(await canFindTools(server, "known", signal), true);
  assert.equal(await canFindTools(server, "own/model", signal), false);
  assert.equal(await canFindTools(server, undefined, signal), true);
  assert.deepEqual(asked, ["model/list"]);
});

test("where codex does not say, nothing is hidden, and it is asked again", async () => {
  for (const error of [new RpcError(-32601, "unknown method"), new RequestTimedOut("model/list", 3000)]) {
    let times = 0;
    const { server } = serverThat(() => {
      times += 1;
      if (times === 1) throw error;
      return { data: [{ model: "known" }] };
    });
    assert.equal(await canFindTools(server, "known", signal), false);
    assert.equal(await canFindTools(server, "known", signal), true);
  }
  const { server: odd } = serverThat(() => "nonsense");
  assert.equal(await canFindTools(odd, "known", signal), false);
  const { server: gone } = serverThat(() => {
    throw new Error("gone");
  });
  await assert.rejects(canFindTools(gone, "known", signal), /gone/);
});
