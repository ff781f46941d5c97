import assert from "node:assert/strict";
import { appendFile, readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { testFolder } from "../../../test/temp-folder.ts";
import { systemClock } from "../clock.ts";
import { runCommand } from "./command.ts";
import { hostIdIn, isGoneFrom, knownHostId } from "./host-id.ts";
import { selfIdentity } from "./process-identity.ts";

const web = { name: "web", stamp: "a".repeat(32) };
const clone = { name: "web", stamp: "b".repeat(32) };

describe("the id of a machine", () => {
  test("has its name, is made once, and stays", async (t) => {
    const file = join(await testFolder(t), "host-ids");
    assert.equal(await knownHostId(file, web), undefined);
    const id = await hostIdIn(file, web);
    assert.match(id, /^web-[0-9a-f]{8}$/);
    assert.deepEqual([await hostIdIn(file, web), await knownHostId(file, web)], [id, id]);
    assert.equal((await readFile(file, "utf8")).trimEnd().split("\n").length, 1);
  });

  test("is another one on a machine of the same name that got a copy of the home", async (t) => {
    const file = join(await testFolder(t), "host-ids");
    const [first, second] = [await hostIdIn(file, web), await hostIdIn(file, clone)];
    assert.notEqual(first, second);
    assert.deepEqual([await hostIdIn(file, web), await hostIdIn(file, clone)], [first, second]);
  });

  test("is the same for processes that start at once in a new home", async (t) => {
    const file = join(await testFolder(t), "host-ids");
    const script = `
      import { hostIdIn } from ${JSON.stringify(import.meta.resolve("./host-id.ts"))};
      const ids = await Promise.all(Array.from({ length: 8 }, () => hostIdIn(process.env.FILE)));
      process.stdout.write(ids.join("\\n") + "\\n");
    `;
    const outputs = await Promise.all(
      Array.from({ length: 3 }, () =>
        runCommand({
          command: process.execPath,
          args: ["--input-type=module", "-e", script],
          cwd: "/",
          env: { FILE: file },
          signal: new AbortController().signal,
          clock: systemClock,
        }),
      ),
    );
    const ids = outputs.flatMap(({ stdout, stderr }) =>
      stdout
        .trim()
        .split("\n")
        .concat(stderr || []),
    );
    assert.equal(ids.length, 24);
    assert.deepEqual([...new Set(ids)], [await hostIdIn(file)]);
  });

  test("is made although somebody was killed in the middle of a line", async (t) => {
    for (const half of ["w", "web-1234 ", `web-12345678 ${web.stamp}`]) {
      const file = join(await testFolder(t), "host-ids");
      await appendFile(file, half);
      const id = await hostIdIn(file, web);
      assert.equal(await hostIdIn(file, web), id, half);
    }
  });
});

describe("a process is gone", () => {
  const self = selfIdentity("web-1");
  const ended = { ...self, startTime: "before" };

  test("when it has ended on this machine, also under its plain name of before there were ids", () => {
    const isGone = isGoneFrom("web-1");
    assert.equal(isGone(ended), true);
    assert.equal(isGone({ ...ended, host: hostname() }), true);
    assert.deepEqual([isGone(self), isGone({ ...self, host: hostname() })], [false, false]);
  });

  test("never when it is another machine's, whatever its pid", () => {
    for (const id of ["web-2", undefined]) assert.equal(isGoneFrom(id)(ended), false);
  });
});
