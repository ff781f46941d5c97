import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { describe, test } from "node:test";
import { onLoopback } from "../loopback.ts";
import { configure, says, secretKey, talariaOn } from "./endpoint.ts";

describe("the owner's endpoint", { concurrency: 2 }, () => {
  for (const protocol of ["responses", "chat"] as const) {
    test(`the owner's endpoint answers over ${protocol} and gets the key from .env`, async () => {
      await using it = await talariaOn([says("Hello from your own model.")], { protocol });
      await using door = await doorTo(it.model.url);
      await configure(it.home, door.url, protocol);
      const { code, stdout, stderr } = await it.run(["run", "hello"]);
      assert.deepEqual(
        { code, stdout, stderr },
        { code: 0, stdout: "Hello from your own model.\n", stderr: "" },
      );
      assert.deepEqual(door.keys, [`Bearer ${secretKey}`]);
      const [asked] = it.model.requests;
      assert.equal(asked?.path, protocol === "chat" ? "/v1/chat/completions" : "/v1/responses");
      assert.partialDeepStrictEqual(asked?.body, { model: "gpt-5.5", stream: true });
      assert.match(JSON.stringify(asked?.body), /"hello"/);
    });
  }

  test("a key in the environment wins over the one in .env", async () => {
    await using it = await talariaOn([says("ok")]);
    await using door = await doorTo(it.model.url);
    await configure(it.home, door.url);
    const { code } = await it.run(["run", "hello"], { env: { MINE_KEY: "from-the-environment" } });
    assert.equal(code, 0);
    assert.deepEqual(door.keys, ["Bearer from-the-environment"]);
  });

  test("without its key nothing is asked, the variable is named, and the message is kept", async () => {
    await using it = await talariaOn([says("never asked")]);
    await rm(join(it.home, ".env"));
    const { code, lines } = await it.run(["run", "--json", "keep", "these", "words"]);
    assert.equal(code, 1);
    const { session, fault } = lines.at(-1) as unknown as { session: string; fault: Record<string, string> };
    assert.equal(fault["code"], "auth");
    assert.match(fault["message"] ?? "", /MINE_KEY is not set/);
    assert.ok(fault["next"]?.includes(join(it.home, ".env")), "it says where the key goes");
    assert.equal(it.model.total, 0);
    const shown = await it.run(["sessions", "show", session]);
    assert.match(shown.stdout, /^user {6}keep these words$/m);

    await writeFile(join(it.home, ".env"), `MINE_KEY=${secretKey}\n`, { mode: 0o600 });
    const again = await it.run(["run", "--continue", "and now?"]);
    assert.equal(again.stdout, "never asked\n");
    assert.match(JSON.stringify(it.model.requests[0]?.body), /keep these words/);
  });
});

/** In front of the model, because the model's own record leaves keys out. */
async function doorTo(
  url: string,
): Promise<AsyncDisposable & { readonly url: string; readonly keys: readonly (string | undefined)[] }> {
  const keys: (string | undefined)[] = [];
  const server = createServer((incoming, outgoing) => {
    keys.push(incoming.headers.authorization);
    const { method, headers } = incoming;
    const onward = request(new URL(incoming.url ?? "/", url), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  const bound = await onLoopback(server);
  return {
    url: `${bound.origin}/v1`,
    keys,
    [Symbol.asyncDispose]: () => bound[Symbol.asyncDispose](),
  };
}
