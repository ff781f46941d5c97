import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { conversation, says, talariaOn } from "./endpoint.ts";

type Offered = { readonly tools?: readonly { readonly name: string }[] };

test("tools are listed and switched from the command line, and the loop follows", async () => {
  await using it = await talariaOn([says("One."), says("Two.")]);
  const offered = (at: number): readonly string[] =>
    ((it.model.requests[at]?.body as Offered | undefined)?.tools ?? []).map(({ name }) => name);

  const list = await it.run(["tools"]);
  assert.equal(list.code, 0);
  assert.match(list.stdout, /^tool +state +effect +runtimes +about\n/);
  assert.match(list.stdout, /^file\n(?: {2}.*\n)* {2}read_file +on +none +loop +\S/m);
  assert.deepEqual((await it.run(["tools", "list"])).stdout, list.stdout);

  const before = await readFile(join(it.home, "config.yaml"), "utf8");
  const wrong = await it.run(["tools", "off", "read_fiel"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /no tool or set of tools called "read_fiel"[^]*Did you mean read_file\?/);
  assert.equal(await readFile(join(it.home, "config.yaml"), "utf8"), before);

  await it.run(["run", "first"]);
  const off = await it.run(["tools", "off", "file", "todo", "--json"]);
  assert.partialDeepStrictEqual(off.lines, [
    { switched: "off", changed: ["patch", "read_file", "search_files", "todo", "write_file"] },
  ]);
  assert.equal(
    await readFile(join(it.home, "config.yaml"), "utf8"),
    `${before}tools:\n  disabled: [file, todo]\n`,
  );
  const lines = (await it.run(["tools", "--json"])).lines as readonly object[];
  assert.deepEqual(
    lines.flatMap((line) => ("off" in line && line.off === true && "name" in line ? [line.name] : [])),
    ["patch", "read_file", "search_files", "todo", "write_file"],
  );
  await it.run(["run", "--continue", "second"]);
  assert.deepEqual(conversation(it.model.requests[1]), ["first", "One.", "second"]);
  const gone = offered(0).filter((name) => !offered(1).includes(name));
  assert.deepEqual(gone.toSorted(), ["patch", "read_file", "search_files", "todo", "write_file"]);
  assert.equal((await it.run(["tools", "on", "todo"])).stdout.split("\n")[0], "Switched on: todo.");
});
