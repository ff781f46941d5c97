import assert from "node:assert/strict";
import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { ElicitRequest } from "@modelcontextprotocol/client";
import { type Talaria, talaria } from "../talaria.ts";
import { type Connected, type ConnectOptions, connected } from "./client.ts";

/** Writes outside of the folder that it works in, which asks. */
const outside = { path: "../outside.txt", content: "hello\n" };

describe("a tool that needs a permission", { timeout: 120_000, concurrency: 2 }, () => {
  test("is run when the person says so in the client, who is shown all of it", async () => {
    const asked: ElicitRequest["params"][] = [];
    await using it = await asking((params) => {
      asked.push(params);
      return { action: "accept", content: { answer: "once" } };
    });
    assert.equal((await it.us.call("write_file", outside)).isError, false);
    assert.equal(await readFile(it.file, "utf8"), "hello\n");
    const [form] = asked;
    assert.match(form?.message ?? "", /outside\.txt/);
    assert.match(form?.message ?? "", /\+hello/);
    assert.partialDeepStrictEqual(form, {
      requestedSchema: {
        properties: { answer: { enum: ["once", "session", "deny"] } },
        required: ["answer"],
      },
    });
    const [row] = (await it.run(["approvals", "list", "--json"])).lines;
    assert.partialDeepStrictEqual(row, { state: "once", why: "person", by: "tester", surface: "mcp" });
  });

  test("is not run when they decline, cancel, or answer what was not offered; and that was a person's No", async () => {
    const answers = [
      { action: "decline" },
      { action: "cancel" },
      { action: "accept", content: { answer: "always" } },
      { action: "accept", content: { answer: "deny" } },
    ] as const;
    let next = 0;
    await using it = await asking(() => answers[next++] ?? { action: "cancel" });
    for (const _ of answers) {
      const { text, isError } = await it.us.call("write_file", outside);
      assert.equal(isError, true);
      assert.match(text, /^write_file was not run: the person said no\./);
    }
    await assert.rejects(access(it.file));
    const { lines } = await it.run(["approvals", "list", "--json"]);
    assert.deepEqual(
      lines.map((line) => [line["state"], line["why"]]),
      answers.map(() => ["denied", "person"]),
    );
  });

  test("is asked once for the session, when that is the answer", async () => {
    let asked = 0;
    await using it = await asking(() => {
      asked += 1;
      return { action: "accept", content: { answer: "session" } };
    });
    for (const _ of [1, 2]) {
      const { text, isError } = await it.us.call("terminal", { command: "rm -rf build" });
      assert.equal(isError, false, text);
    }
    assert.equal(asked, 1);
  });

  test("is not run by a client that cannot show questions: not asked, and how it could be allowed", async () => {
    await using it = await asking(undefined);
    const { text, isError } = await it.us.call("write_file", outside);
    assert.equal(isError, true);
    assert.match(
      text,
      /^write_file was not run: not asked: the program that called cannot show questions\. .* always allow/,
    );
    const [row] = (await it.run(["approvals", "list", "--json"])).lines;
    assert.partialDeepStrictEqual(row, { why: "not_asked" });
  });

  test("is not run when the client fails at asking, and nobody is said to have said no", async () => {
    await using it = await asking(() => {
      throw new Error("no screen");
    });
    const { text } = await it.us.call("write_file", outside);
    assert.match(text, /not asked: the program that called could not show the question\. /);
    const [row] = (await it.run(["approvals", "list", "--json"])).lines;
    assert.partialDeepStrictEqual(row, { state: "withdrawn" });
  });

  test("can be answered elsewhere while the client asks, which then need not ask any longer", async () => {
    const asked = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    await using it = await asking((_, signal) => {
      signal.addEventListener("abort", () => closed.resolve());
      asked.resolve();
      return new Promise(() => {});
    });
    const call = it.us.call("write_file", outside);
    await asked.promise;
    const [row] = (await it.run(["approvals", "list", "--pending", "--json"])).lines;
    assert.equal((await it.run(["approvals", "answer", row?.id ?? "", "once"])).code, 0);
    assert.equal((await call).isError, false);
    await closed.promise;
  });
});

type Asking = Talaria & { readonly us: Connected; readonly file: string };

async function asking(elicit: ConnectOptions["elicit"]): Promise<Asking> {
  await using parts = new AsyncDisposableStack();
  const it = parts.use(await talaria());
  const options = elicit === undefined ? {} : { elicit };
  const us = parts.use(await connected(it, { args: ["--with-local-tools"], ...options }));
  const kept = parts.move();
  return {
    ...it,
    us,
    file: join(it.folder, "outside.txt"),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
