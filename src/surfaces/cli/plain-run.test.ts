import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { plainRun } from "./plain-run.ts";

const plain = { memory: true, context: true, attach: true, image: [] };

describe("a message as it is mostly typed", () => {
  test("is read with every option that the table has for it", () => {
    assert.deepEqual(plainRun(["run", "hello"]), { words: ["hello"], options: plain });
    assert.deepEqual(plainRun(["run", "-q", "--runtime", "codex", "a b", "--json", "c"]), {
      words: ["a b", "c"],
      options: { ...plain, quiet: true, runtime: "codex", json: true },
    });
    assert.deepEqual(
      plainRun(["run", "--no-attach", "--no-memory", "--image", "a.png", "--image", "b.png", "-"]),
      {
        words: ["-"],
        options: { ...plain, attach: false, memory: false, image: ["a.png", "b.png"] },
      },
    );
  });

  test("is left to the command line when it may mean something else", () => {
    for (const argv of [
      [],
      ["run"],
      ["run", "--help"],
      ["run", "hello", "--runtime"],
      ["run", "--runtime", "--json", "hello"],
      ["run", "--runtime=codex", "hello"],
      ["run", "--unknown", "hello"],
      ["run", "--", "-x"],
      ["run", "-p", "work", "hello"],
      ["--profile", "work", "run", "hello"],
      ["sessions", "list"],
    ])
      assert.equal(plainRun(argv), undefined, argv.join(" "));
  });
});
