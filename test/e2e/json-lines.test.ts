import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hangs, says, talariaOn } from "./endpoint.ts";
import { type Line, talaria } from "./talaria.ts";

describe("JSON lines", { concurrency: 2 }, () => {
  test("every line of --json is an event with its place: started first, ended once and last", async () => {
    await using it = await talariaOn([
      { reply: [{ text: "I look it up." }, { call: { tool: "session_search", args: { query: "owl" } } }] },
      says("There is no owl."),
    ]);
    const { code, lines, stderr } = await it.run(["run", "--json", "where is the owl?"]);
    assert.equal(code, 0);
    assert.equal(stderr, "");
    assert.deepEqual(
      lines.map(({ v, seq }) => ({ v, seq })),
      lines.map((_, at) => ({ v: 1, seq: at + 1 })),
    );
    const place = lines[0];
    assert.match(place?.session ?? "", /^ses_/);
    assert.match(place?.turn ?? "", /^trn_/);
    assert.ok(lines.every(({ session, turn }) => session === place?.session && turn === place?.turn));
    const types = lines.map(({ type }) => type);
    assert.equal(types.indexOf("started"), 0);
    assert.equal(types.lastIndexOf("started"), 0);
    assert.equal(types.indexOf("ended"), types.length - 1);
    assert.partialDeepStrictEqual(lines[0], { runtime: "loop", model: "gpt-5.5", cwd: it.cwd });
    assert.partialDeepStrictEqual(lines.at(-1), { outcome: "done", text: "There is no owl.", calls: 1 });
    assert.deepEqual(kindsOf(lines), ["text", "call", "text"]);

    const answer = lines.filter(
      ({ item }) => item === lines.findLast(({ type }) => type === "delta")?.["item"],
    );
    assert.equal(answer.map(({ text }) => text).join(""), "There is no owl.", "what was streamed of it");
  });

  test("a failed turn says why in its last line", async () => {
    await using it = await talariaOn([{ reply: [{ http: { status: 503 } }] }]);
    const { code, lines, stderr } = await it.run(["run", "--json", "hello"]);
    assert.equal(code, 1);
    assert.partialDeepStrictEqual(lines.at(-1), {
      type: "ended",
      outcome: "failed",
      fault: { code: "overloaded" },
    });
    assert.equal(stderr, "");
  });

  test("an interrupted turn ends its lines like any other", async () => {
    await using it = await talariaOn([hangs()]);
    const child = await it.start(["run", "--json", "hello"]);
    await child.shows(/"type":"delta"/);
    child.signal("SIGINT");
    const { code, lines } = await child.finished;
    assert.equal(code, 130);
    assert.partialDeepStrictEqual(lines.at(-1), { type: "ended", outcome: "interrupted" });
  });

  test("what goes wrong before there is a turn is one line with code, message and next step", async () => {
    await using it = await talaria();
    const refused: readonly (readonly [args: readonly string[], code: string])[] = [
      [["run", "--json", ""], "usage"],
      [["run", "--json", "--session", "ses_nobody", "hello"], "not_found"],
      [["-p", "nobody", "run", "--json", "hello"], "config"],
      [["run", "--json"], "usage"],
      [["run", "--json", "--no-such-option", "hello"], "usage"],
      [["sessions", "show", "--json", "ses_nobody"], "not_found"],
    ];
    const results = await Promise.all(refused.map(([args]) => it.run(args)));
    for (const [at, [args, expected]] of refused.entries()) {
      const { code, stdout, lines } = results[at]!;
      assert.equal(lines.length, 1, `${args.join(" ")}: ${stdout}`);
      assert.deepEqual(Object.keys(lines[0] ?? {}).toSorted(), ["code", "message", "next", "type"]);
      assert.partialDeepStrictEqual(lines[0], { type: "error", code: expected });
      assert.ok((lines[0]?.message ?? "") !== "" && (lines[0]?.next ?? "") !== "");
      assert.equal(code, 2, args.join(" "));
    }
  });
});

const kindsOf = (lines: readonly Line[]): readonly unknown[] =>
  lines.flatMap((line) => (line.type === "item" ? [(line["item"] as { kind: string }).kind] : []));
