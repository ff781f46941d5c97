import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { says, talariaOn } from "./endpoint.ts";

const answers = [says("One."), says("Two."), says("Three.")];

describe("talaria events", { concurrency: 2 }, () => {
  test("prints what happened and ends, and goes on behind a cursor", async () => {
    await using it = await talariaOn(answers);
    const first = await it.run(["run", "--json", "hello"]);
    const whole = await it.run(["events", "--json"]);
    assert.equal(whole.code, 0, whole.stderr);
    assert.deepEqual(
      whole.lines.map(({ type, number }) => [type, number]),
      [
        ["resume", undefined],
        ["began", 1],
        ["started", 2],
        ["item", 3],
        ["ended", 4],
      ],
    );
    await it.run(["run", "--continue", "and again"]);
    const rest = await it.run(["events", "--json", "--after", String(whole.lines.at(-1)?.["cursor"])]);
    assert.deepEqual(
      rest.lines.map(({ type, resume }) => resume ?? type),
      ["ok", "started", "item", "ended"],
    );
    const session = String(first.lines[0]?.session);
    const shown = await it.run(["events", "--session", session.slice(0, 20)]);
    assert.match(shown.stdout, new RegExp(`^2\\d{3}-\\d\\d-\\d\\d [\\d:]{8}  ${session}  › hello$`, "m"));
    assert.match(shown.stdout, /turn ended: done, 0 calls\n/);
    assert.match(shown.stderr, new RegExp(`go on behind this with --after [0-9a-f]{12}\\.${session}\\.7`));
  });

  test("follows turns of another process until it is interrupted", async () => {
    await using it = await talariaOn(answers);
    const follower = await it.start(["events", "--follow", "--json"]);
    await follower.shows(/"resume":"ok"/);
    await it.run(["run", "hello"]);
    await follower.shows(/"type":"ended"/);
    follower.signal("SIGINT");
    const { code, lines } = await follower.finished;
    assert.equal(code, 130);
    assert.deepEqual(
      lines.map(({ type }) => type),
      ["resume", "began", "started", "item", "ended"],
    );
  });

  test("refuses a cursor that is none, one of another home and a session that is not there", async () => {
    await using it = await talariaOn(answers);
    await using other = await talariaOn(answers);
    const theirs = (await other.run(["events", "--json"])).lines[0]?.["cursor"];
    for (const after of ["nonsense", String(theirs)]) {
      const { code, lines } = await it.run(["events", "--json", "--after", after]);
      assert.deepEqual([code, lines.map(({ type }) => type)], [2, ["error"]]);
    }
    assert.equal((await it.run(["events", "--session", "ses_nobody"])).code, 2);
  });

  test("ends when nobody reads it any more", async () => {
    await using it = await talariaOn(answers);
    await it.run(["run", "hello"]);
    const reader = await it.shell(`"$0" events --follow --after start --json | head -n 1`);
    const { stdout } = await reader.finished;
    assert.match(stdout, /"resume":"ok"/);
  });
});
