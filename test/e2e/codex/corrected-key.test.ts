import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { onLoopback } from "../../loopback.ts";
import type { Host } from "../../../src/core/host.ts";
import { newId } from "../../../src/core/ids.ts";
import { openHost } from "../../../src/host/index.ts";
import { says } from "../endpoint.ts";
import { talariaOnCodex } from "./codex-talaria.ts";
import { heard } from "./heard.ts";
import { asOwner, send } from "../../owners-host.ts";

const rightKey = "right-9b2f60c1d7e4";
const rightAgain = "right-55d0a3e8f216";

describe("a key that is corrected while the program runs", () => {
  for (const runtime of ["loop", "codex"]) {
    test(`in .env is used by the next turn on ${runtime}, and is masked like any other`, async () => {
      await using it = await talariaOnCodex([says("It is open now."), says("And now, too.")]);
      await using door = await lockedDoor(it.model.url);
      await configured(it.home, door.url);
      await using host = await openHost(hostOptions(it));
      const turn = talking(host, it.cwd, runtime);

      const refused = await turn("one");
      assert.partialDeepStrictEqual(refused, { outcome: "failed", fault: { code: "auth" } });
      assert.match(refused?.fault?.next ?? "", /Check MINE_KEY in the environment or in the \.env file/);

      await writeFile(join(it.home, ".env"), `MINE_KEY=${rightKey}\n`);
      door.opensFor(rightKey);
      assert.partialDeepStrictEqual(await turn("two"), { outcome: "done", text: "It is open now." });

      await writeFile(join(it.home, ".env"), `MINE_KEY=${rightAgain}\n`);
      door.opensFor(rightAgain);
      assert.partialDeepStrictEqual(await turn("three"), { outcome: "done", text: "And now, too." });
      assert.equal(await shown(host, it.cwd, rightAgain), "[redacted]");
      const known = heard(it.model.requests.at(-1)).filter((line) => line.startsWith("user "));
      assert.deepEqual(known.slice(-2), ["user two", "user three"], "the conversation goes on");
      assert.equal(door.headers.at(-1)?.["x-team"], `team ${rightAgain}`, "also where a header names it");
    });

    test(`in the environment of the program is used by the next turn on ${runtime}`, async () => {
      await using it = await talariaOnCodex([says("It is open now.")]);
      await using door = await lockedDoor(it.model.url);
      await configured(it.home, door.url);
      const options = hostOptions(it);
      const env: Record<string, string | undefined> = {
        ...options.env,
        MINE_KEY: "wrong-in-the-environment",
      };
      await using host = await openHost({ ...options, env });
      const turn = talking(host, it.cwd, runtime);
      assert.partialDeepStrictEqual(await turn("one"), { outcome: "failed", fault: { code: "auth" } });
      env["MINE_KEY"] = rightKey;
      door.opensFor(rightKey);
      assert.partialDeepStrictEqual(await turn("two"), { outcome: "done", text: "It is open now." });
    });
  }
});

/** What a person sees when a command writes this. */
async function shown(host: Host, cwd: string, text: string): Promise<string> {
  const said = await Array.fromAsync(asOwner(host).call("shell.run", { command: `echo ${text}`, cwd }));
  return said.flatMap((one) => ("output" in one ? [one.output.trim()] : [])).join();
}

type Place = { readonly folder: string; readonly home: string; readonly cwd: string };

const hostOptions = (it: Place & { readonly env: Readonly<Record<string, string>> }) => ({
  env: { PATH: process.env["PATH"], HOME: it.folder, TALARIA_HOME: it.home, ...it.env },
  homeDir: it.folder,
  cwd: it.cwd,
  version: "test",
});

const configured = (home: string, api: string): Promise<void> =>
  writeFile(
    join(home, "config.yaml"),
    `model: { provider: mine, default: gpt-5.5 }
providers: { mine: { api: "${api}", protocol: responses, key_env: MINE_KEY, headers: { x-team: "team \${MINE_KEY}" } } }
auxiliary: { title_generation: { enabled: false } }
`,
  );

function talking(host: Host, cwd: string, runtime: string) {
  const session = { id: newId("ses", 1), cwd, surface: "cli", audience: "owner" as const };
  return async (text: string) => {
    const sent = await send(host, {
      key: { surface: "cli", account: "", chat: session.id, messageId: text },
      session,
      input: [{ type: "text", text }],
      whenBusy: "queue",
      attended: "none",
      choices: { runtime },
    });
    return sent.ended;
  };
}

/** The model behind somebody who looks at keys. */
async function lockedDoor(model: string) {
  let accepted = "nobody has it yet";
  const headers: NodeJS.Dict<string | string[]>[] = [];
  const server = createServer((asked, answer) => {
    if (asked.headers.authorization !== `Bearer ${accepted}`) {
      answer.writeHead(401, { "content-type": "application/json" });
      answer.end(JSON.stringify({ error: { message: "Incorrect API key" } }));
      return;
    }
    headers.push(asked.headers);
    const { authorization: _, host: __, ...passed } = asked.headers;
    const to = new URL((asked.url ?? "/").replace(/^\//, ""), `${model.replace(/\/$/, "")}/`);
    const inner = request(to, { method: asked.method ?? "GET", headers: passed }, (reply) => {
      answer.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(answer);
    });
    asked.pipe(inner);
  });
  const bound = await onLoopback(server);
  return {
    url: bound.origin,
    headers,
    opensFor: (key: string) => void (accepted = key),
    [Symbol.asyncDispose]: () => bound[Symbol.asyncDispose](),
  };
}
