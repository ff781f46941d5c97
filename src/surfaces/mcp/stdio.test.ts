import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { stdioTransport } from "./stdio.ts";

test("a message that is nested too deep is answered with an error, and the next one is taken", async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const logged: string[] = [];
  const transport = stdioTransport(
    { stdin, stdout },
    {
      log: (line) => logged.push(line),
      onInputEnd: () => undefined,
    },
  );
  const taken = Promise.withResolvers<unknown>();
  Object.assign(transport, { onmessage: taken.resolve });
  await transport.start();
  const deep = `{"jsonrpc":"2.0","id":7,"method":"ping","params":${"[".repeat(600)}${"]".repeat(600)}}`;
  stdin.write(`${deep}\n`);
  const [answer] = (await once(stdout, "data")) as [Buffer];
  assert.partialDeepStrictEqual(JSON.parse(answer.toString()), { id: 7, error: { code: -32_600 } });
  assert.match(logged.join(), /nested deeper than 500 levels/);
  stdin.write('{"jsonrpc":"2.0","id":8,"method":"ping"}\n');
  assert.partialDeepStrictEqual(await taken.promise, { id: 8 });
  await transport.close();
});
