import assert from "node:assert/strict";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { configure, says, talariaOn } from "./endpoint.ts";
import type { Talaria } from "./talaria.ts";

const error = (status: number, message: string): object => ({
  reply: [{ http: { status, body: { error: { message } } } }],
});

const faults: readonly {
  readonly name: string;
  readonly step: object;
  readonly code: string;
  readonly message: RegExp;
  readonly next: RegExp;
}[] = [
  {
    name: "a key that is not accepted",
    step: error(401, "Incorrect API key"),
    code: "auth",
    message: /mine did not accept the key \(HTTP 401: Incorrect API key\)/,
    next: /Check MINE_KEY/,
  },
  {
    name: "a server that fails",
    step: error(500, "out of order"),
    code: "overloaded",
    message: /mine cannot serve the request just now \(HTTP 500: out of order\)/,
    next: /try again/,
  },
  {
    name: "a stream that breaks off",
    step: { reply: [{ text: "one two three four five six seven" }, { cut: { afterFrames: 5 } }] },
    code: "network",
    message: /connection to mine at http:\/\/127\.0\.0\.1:\d+ ended before the answer was complete/,
    next: /Check the network/,
  },
  {
    name: "a login page instead of a model",
    step: { reply: [{ html: true }] },
    code: "protocol",
    message: /mine at http:\/\/127\.0\.0\.1:\d+ answered with .*, which is not a model's answer/,
    next: /Check providers\.mine\.api/,
  },
];

for (const { name, step, code, message, next } of faults) {
  test(`${name} fails the turn with a reason and a next step, and the message is kept`, async () => {
    await using it = await talariaOn([step, says("now it works")]);
    const failed = await it.run(["run", "the first question"]);
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, message);
    assert.match(failed.stderr.split("\n")[1] ?? "", next);
    await assertKept(it, code);
    const again = await it.run(["run", "--continue", "the second question"]);
    assert.deepEqual([again.code, again.stdout], [0, "now it works\n"]);
    assert.match(JSON.stringify(it.model.requests[1]?.body), /the first question.*the second question/);
  });
}

test("what was already shown of a broken-off answer is kept with the session", async () => {
  await using it = await talariaOn([
    { reply: [{ text: "one two three four five six", chunks: 6 }, { cut: { afterFrames: 5 } }] },
  ]);
  const { stdout } = await it.run(["run", "count"]);
  assert.match(stdout, /^one two/);
  const { lines } = await it.run(["sessions", "list", "--json"]);
  const shown = await it.run(["sessions", "show", lines[0]?.id ?? ""]);
  assert.ok(shown.stdout.includes(`assistant ${stdout.trim()}`), shown.stdout);
});

test("an address where nobody listens fails the turn and is named, and the message is kept", async () => {
  await using it = await talariaOn([says("never asked")]);
  const port = await closedPort();
  await configure(it.home, `http://127.0.0.1:${port}/v1`);
  const { code, stdout, stderr } = await it.run(["run", "hello"]);
  assert.equal(code, 1);
  assert.equal(stdout, "");
  const [what, next] = stderr.split("\n");
  assert.ok(what?.includes(`Could not reach mine at http://127.0.0.1:${port}: nothing listens there`), what);
  assert.match(next ?? "", /Check the network, and providers\.mine\.api in config\.yaml/);
  await assertKept(it, "network");
});

/** The newest session holds the message once, in a turn that failed for this reason. */
async function assertKept(it: Talaria, fault: string): Promise<void> {
  const { lines } = await it.run(["sessions", "list", "--json"]);
  assert.equal(lines.length, 1);
  const shown = await it.run(["sessions", "show", "--json", lines[0]?.id ?? ""]);
  const { turns, messages } = shown.lines[0] as unknown as {
    turns: readonly object[];
    messages: readonly { message: { role: string } }[];
  };
  assert.equal(turns.length, 1);
  assert.partialDeepStrictEqual(turns[0], { state: "failed", fault: { code: fault } });
  assert.equal(messages.filter(({ message }) => message.role === "user").length, 1);
}

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
