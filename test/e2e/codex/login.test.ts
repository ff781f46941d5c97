import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { onLoopback } from "../../loopback.ts";
import { says } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { quietSettings } from "../../fakes/real-codex-home.ts";
import { talariaOnCodex } from "./codex-talaria.ts";
import { heard } from "./heard.ts";

test("after a refused login a new one works in the same process, and codex goes on with the conversation", async () => {
  await using it = await talariaOnCodex([says("Welcome."), says("Still here.")]);
  await using gate = await gateBefore(it.model.url, "sk-new-login");
  await writeFile(join(it.codexHome, "config.toml"), ownProvider(gate.url));
  await writeFile(
    join(it.home, "config.yaml"),
    "model: { provider: openai-codex, openai_runtime: codex_app_server }\n",
  );
  const login = (key: string): Promise<void> =>
    writeFile(join(it.codexHome, "auth.json"), JSON.stringify({ OPENAI_API_KEY: key }));

  await login("sk-old-login");
  const chat = await it.start([]);
  await chat.write("one\n/status\n");
  await chat.shows(/^session +ses_/m);
  await login("sk-new-login");
  await chat.write("two\nthree\n");
  chat.closeInput();
  const { code, stdout, stderr } = await chat.finished;
  assert.equal(code, 0);
  assert.match(stdout, /\nWelcome\.\nStill here\.\n$/);
  assert.match(stderr, /^talaria: openai-codex did not accept the login or key: .*401/m);
  assert.deepEqual(gate.keys, ["Bearer sk-old-login", "Bearer sk-new-login", "Bearer sk-new-login"]);
  assert.deepEqual(heard(it.model.requests[1]), ["user one", "user two", "assistant Welcome.", "user three"]);
  assert.partialDeepStrictEqual(await onDisk(it.home), [{ turns: ["failed", "done", "done"] }]);
});

/** A provider in the person's own codex settings, which is reached with codex's own login. */
const ownProvider = (url: string): string => `model = "gpt-5.5"
model_provider = "gated"
${quietSettings}
[model_providers.gated]
name = "gated"
base_url = "${url}"
wire_api = "responses"
requires_openai_auth = true
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
`;

/** Lets only those to the model who have the key, and remembers which keys came. */
async function gateBefore(
  model: string,
  key: string,
): Promise<AsyncDisposable & { readonly url: string; readonly keys: readonly (string | undefined)[] }> {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    keys.push(authorization);
    if (authorization !== `Bearer ${key}`) {
      request.resume();
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: "Incorrect API key provided" } }));
      return;
    }
    void (async () => {
      const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
      const answer = await fetch(`${model}${request.url?.replace("/v1", "") ?? ""}`, {
        method: "POST",
        body,
      });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      response.end(await answer.text());
    })();
  });
  const bound = await onLoopback(server);
  return {
    keys,
    url: `${bound.origin}/v1`,
    [Symbol.asyncDispose]: () => bound[Symbol.asyncDispose](),
  };
}
