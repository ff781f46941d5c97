import assert from "node:assert/strict";
import { once } from "node:events";
import { type RequestListener, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, describe, test } from "node:test";
import { post, sendableHeaders } from "./post.ts";

async function serving(t: TestContext, listener: RequestListener): Promise<URL> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  t.after(() => server.close().closeAllConnections());
  await once(server, "listening");
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

const request = (signal: AbortSignal) =>
  ({ method: "POST", headers: {}, body: "{}", redirect: "manual", signal }) as const;

describe("post", () => {
  test("that is aborted rejects with the very reason, before the head of the answer and in its body", async (t) => {
    const begun = Promise.withResolvers<void>();
    const url = await serving(t, (asked, answer) => {
      if (asked.url === "/body") return void answer.write("one");
      return begun.resolve();
    });
    const reasons = [new Error("first"), new Error("second")] as const;
    const [early, late] = [new AbortController(), new AbortController()];
    const headless = post(url, request(early.signal));
    await begun.promise;
    early.abort(reasons[0]);
    await assert.rejects(headless, (error) => error === reasons[0]);
    const { body } = await post(new URL("/body", url), request(late.signal));
    const reader = body?.getReader();
    assert.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), "one");
    const rest = reader?.read();
    late.abort(reasons[1]);
    await assert.rejects(rest ?? Promise.resolve(), (error) => error === reasons[1]);
  });

  test("says so when the other side breaks off in the body, and nobody who does not read falls over it", async (t) => {
    const url = await serving(t, (_, answer) => void answer.write("one", () => answer.destroy()));
    const { signal } = new AbortController();
    const { body } = await post(url, request(signal));
    await assert.rejects(Array.fromAsync(body ?? []), { code: "ECONNRESET" });
    await post(url, request(signal));
    await assert.rejects(Array.fromAsync((await post(url, request(signal))).body ?? []));
  });

  test("goes nowhere with a login in the address", () => {
    const { signal } = new AbortController();
    assert.throws(() => post(new URL("http://me:secret@127.0.0.1:1/"), request(signal)), /login/);
  });

  test("sends headers without the white space around them, and refuses what is none", () => {
    assert.deepEqual(sendableHeaders({ "X-Key": " sk-1\n" }), { "x-key": "sk-1" });
    assert.throws(() => sendableHeaders({ "x-key": "a\nb" }));
    assert.throws(() => sendableHeaders({ "x key": "a" }));
  });
});
