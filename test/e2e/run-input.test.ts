import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { says, talariaOn } from "./endpoint.ts";
import { talaria } from "./talaria.ts";

/** The smallest picture there is. */
const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("what is sent", { concurrency: 2 }, () => {
  test("- reads the message from stdin, as it is", async () => {
    await using it = await talariaOn([says("read")]);
    const { code } = await it.run(["run", "-"], { input: "first line\n  second: ☃\n" });
    assert.equal(code, 0);
    assert.match(inputOf(it.model.requests[0]?.body), /"first line\\n {2}second: ☃"/);
  });

  test("pictures travel with the message", async () => {
    await using it = await talariaOn([says("two dots"), says("still two")]);
    await writeFile(join(it.cwd, "dot.png"), Buffer.from(dot, "base64"));
    await writeFile(join(it.cwd, "again.PNG"), Buffer.from(dot, "base64"));
    const { code, stderr } = await it.run([
      "run",
      "what is it?",
      "--image",
      "dot.png",
      "--image",
      "again.PNG",
    ]);
    assert.equal(code, 0, stderr);
    const picture = { type: "input_image", image_url: `data:image/png;base64,${dot}` };
    const content = [{ type: "input_text", text: "what is it?" }, picture, picture];
    assert.partialDeepStrictEqual(it.model.requests[0]?.body, { input: [{ role: "user", content }] });

    await it.run(["run", "--continue", "are you sure?"]);
    assert.partialDeepStrictEqual(it.model.requests[1]?.body, { input: [{ role: "user", content }] });
  });

  for (const protocol of ["responses", "chat"] as const) {
    test(`--schema asks the model for an answer of that shape (${protocol})`, async () => {
      await using it = await talariaOn([says('{"name":"Ada"}')], { protocol });
      const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
      await writeFile(join(it.cwd, "person.json"), JSON.stringify(schema));
      const { code, stdout } = await it.run(["run", "--schema", "person.json", "who?"]);
      assert.deepEqual([code, stdout], [0, '{"name":"Ada"}\n']);
      const wanted =
        protocol === "chat"
          ? { response_format: { type: "json_schema", json_schema: { schema } } }
          : { text: { format: { type: "json_schema", schema } } };
      assert.partialDeepStrictEqual(it.model.requests[0]?.body, wanted);
    });
  }

  test("-q shows the answer without the steps towards it", async () => {
    const search = { reply: [{ call: { tool: "session_search", args: { query: "owl" } } }] };
    await using it = await talariaOn([search, says("No owl."), search, says("No owl.")]);
    const [loud, quiet] = [await it.run(["run", "owl?"]), await it.run(["run", "-q", "owl?"])];
    assert.match(loud.stderr, /▸ session_search \{"query":"owl"\}/);
    assert.deepEqual([quiet.code, quiet.stdout, quiet.stderr], [0, "No owl.\n", ""]);
  });

  test("wrong words on the command line are refused with a reason, and no session is made of them", async () => {
    await using it = await talaria();
    await writeFile(join(it.cwd, "list.json"), "[1]");
    await writeFile(join(it.cwd, "broken.json"), "{");
    const refused: readonly (readonly [args: readonly string[], why: RegExp, next: RegExp])[] = [
      [["run", ""], /There is nothing to send/, /talaria run "hello"/],
      [["run", "-"], /There is nothing to send/, /stdin/],
      [["run", "--image", "gone.png", "hi"], /--image gone\.png cannot be read: .*ENOENT/, /./],
      [["run", "--image", "list.json", "hi"], /--image list\.json: not a picture/, /\.png/],
      [["run", "--schema", "gone.json", "hi"], /--schema gone\.json cannot be read/, /./],
      [["run", "--schema", "broken.json", "hi"], /--schema broken\.json is not valid JSON/, /./],
      [["run", "--schema", "list.json", "hi"], /--schema list\.json is not a JSON Schema/, /./],
      [["run", "--approve", "maybe", "hi"], /--approve maybe: not a choice/, /ask, none or all/],
      [["run", "--runtime", "magic", "hi"], /There is no runtime "magic"\./, /Choose one of: loop, codex\./],
      [["run", "--runtime", "", "hi"], /There is no runtime ""\./, /Choose one of: loop, codex\./],
      [["run", "--nonsense", "hi"], /unknown option '--nonsense'/, /talaria --help/],
      [["nonsense"], /There is no command nonsense\.$/, /^ +talaria --help lists/],
      [["sesions"], /There is no command sesions\./, /Did you mean talaria sessions\?/],
    ];
    const results = await Promise.all(refused.map(([args]) => it.run(args)));
    for (const [at, [args, why, next]] of refused.entries()) {
      const { code, stdout, stderr } = results[at]!;
      assert.equal(code, 2, args.join(" "));
      assert.equal(stdout, "", args.join(" "));
      const [first = "", ...rest] = stderr.split("\n");
      assert.match(first, why);
      assert.match(rest.join("\n"), next);
    }
    assert.deepEqual((await it.run(["sessions", "list", "--json"])).lines, []);
  });
});

const inputOf = (body: Readonly<Record<string, unknown>> | undefined): string =>
  JSON.stringify(body?.["input"]);
