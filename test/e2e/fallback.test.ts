import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { systemClock } from "../../src/lib/clock.ts";
import { parseDemoScript } from "../fakes/demo-script.ts";
import { startDemoModel } from "../fakes/demo-model.ts";
import { type Protocol, says, talariaOn } from "./endpoint.ts";
import type { Talaria } from "./talaria.ts";
import { onDisk } from "./on-disk.ts";

const usedUp = {
  reply: [{ http: { status: 429, body: { error: { code: "insufficient_quota", message: "pay first" } } } }],
};
const other = { responses: "chat", chat: "responses" } as const;

describe("a second provider in the settings", { concurrency: 2 }, () => {
  for (const protocol of ["responses", "chat"] as const) {
    test(`takes over in the middle of a turn on ${protocol}, and the next turn begins with the first again`, async () => {
      await using it = await talariaOn(
        [
          { reply: [{ text: "Looking." }, { call: { tool: "session_search", args: { query: "owl" } } }] },
          usedUp,
          says("First again."),
        ],
        { protocol },
      );
      await using spare = await startDemoModel({
        clock: systemClock,
        script: parseDemoScript({ steps: [says("No owls.")] }),
      });
      it.alsoAsks(spare);
      await addSpare(it, spare.url, other[protocol]);
      const { code, stdout, lines } = await it.run(["run", "--json", "any owls?"]);
      assert.equal(code, 0, stdout);
      assert.partialDeepStrictEqual(lines.at(-1), { outcome: "done", text: "No owls.", calls: 1 });
      const notices = lines.filter(({ type }) => type === "notice");
      assert.deepEqual(
        notices.map((line) => line.code),
        ["route_switched"],
      );
      assert.match(notices[0]?.text ?? "", /^mine .*pay first.* goes on with spare-model at spare\.$/);
      const asked = JSON.stringify(spare.requests[0]?.body);
      for (const words of ["any owls?", "Looking."]) assert.equal(asked.split(words).length, 2, words);

      const again = await it.run(["run", "--continue", "and now?"]);
      assert.deepEqual([again.code, again.stdout], [0, "First again.\n"]);
      assert.match(JSON.stringify(it.model.requests.at(-1)?.body), /No owls\./);
      const [session] = await onDisk(it.home);
      assert.deepEqual(session?.turns, ["done", "done"]);
    });
  }

  test("is named when it cannot be used itself", async () => {
    await using it = await talariaOn([usedUp]);
    await addSpare(it, "http://127.0.0.1:9/v1", "chat", "SPARE_KEY");
    const { code, lines } = await it.run(["run", "--json", "hello"]);
    assert.equal(code, 1);
    const { fault } = lines.at(-1) as unknown as { fault: { code: string; message: string } };
    assert.equal(fault.code, "quota");
    assert.match(fault.message, /pay first.*SPARE_KEY is not set/);
  });
});

async function addSpare({ home }: Talaria, api: string, protocol: Protocol, keyName?: string): Promise<void> {
  const key = keyName === undefined ? "" : `, key_env: ${keyName}`;
  const route = `providers: { spare: { api: "${api}", protocol: ${protocol}${key} },`;
  const file = join(home, "config.yaml");
  const settings = (await readFile(file, "utf8")).replace("providers: {", route);
  await writeFile(file, `${settings}fallback_providers: [{ provider: spare, model: spare-model }]\n`);
}
