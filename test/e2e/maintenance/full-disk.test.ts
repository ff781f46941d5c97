import assert from "node:assert/strict";
import { test } from "node:test";
import { says, talariaOn } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { smallDisk } from "./small-disk.ts";
import { type Line, talaria } from "../talaria.ts";

const isFull = /There is no space left to write \S+talaria\.db\./;
const whatToDo = /Free space on the disk that holds \S+, then send it again\./;

test("on a full disk nothing is taken on, the reason is said, and once there is space it works", async (t) => {
  const disk = await smallDisk();
  if (typeof disk === "string") return t.skip(disk);
  await using _ = disk;
  await using it = await talaria({ home: disk.folder });

  await t.test("in a home that is new", async () => {
    disk.fill();
    const { code, stdout, stderr } = await it.run(["run", "hello"]);
    assert.equal(code, 1);
    assert.equal(stdout, "");
    assert.match(stderr, isFull);
    assert.match(stderr, whatToDo);
    await disk.free();
    assert.equal((await it.run(["run", "--json", "hello"])).code, 0);
  });

  await t.test("in a home that has been used", async () => {
    disk.fill();
    const { code, lines } = await it.run(["run", "--json", "--continue", "lost on the way"]);
    assert.equal(code, 1);
    assert.partialDeepStrictEqual(lines, [{ type: "error", code: "storage" }]);
    assert.match(lines[0]?.message ?? "", isFull);
    assert.match(lines[0]?.next ?? "", whatToDo);
    await disk.free();
    assert.equal((await it.run(["run", "--continue", "hello again"])).code, 0);
    const [session] = await onDisk(it.home);
    assert.deepEqual(
      session?.said.filter((line) => line.startsWith("user")),
      ["user hello", "user hello again"],
    );
  });

  await t.test("with a message that is larger than what is left", async () => {
    disk.fill(256 * 1024);
    const { code, stdout, stderr } = await it.run(["run", "-"], { input: "too much ".repeat(100_000) });
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, isFull);
    await disk.free();
    assert.equal((await it.run(["run", "hello"])).code, 0);
    const kept = (await onDisk(it.home)).flatMap(({ said }) => said);
    assert.ok(!kept.some((line) => line.includes("too much")));
  });
});

test("a disk that fills up in the middle of a turn fails it, and the message is kept", async (t) => {
  const disk = await smallDisk();
  if (typeof disk === "string") return t.skip(disk);
  await using _ = disk;
  // The model is asked after the turn was opened: full from then on.
  let full = false;
  const onRequest = (): void => {
    if (!full) disk.fill();
    full = true;
  };
  const script = [says("An answer that cannot be kept. ".repeat(1000)), says("This one can.")];
  await using it = await talariaOn(script, {
    home: disk.folder,
    onRequest,
    unaccounted: "what the first answer took could not be written",
  });
  const { code, lines } = await it.run(["run", "--json", "the question"]);
  assert.equal(code, 1);
  assert.equal(lines[0]?.type, "started");
  assert.deepEqual(itemsOf(lines), [], "what could not be committed is not shown as finished");
  const { session, fault } = lines.at(-1) as unknown as { session: string; fault: Record<string, string> };
  assert.partialDeepStrictEqual(lines.at(-1), { type: "ended", outcome: "failed" });
  assert.equal(fault["code"], "storage");
  assert.match(fault["message"] ?? "", isFull);
  assert.match(fault["next"] ?? "", whatToDo);

  await disk.free();
  const next = await it.run(["run", "--session", session, "once more"]);
  assert.equal(next.code, 0, next.stderr);
  assert.equal(next.stdout, "This one can.\n");
  assert.match(next.stderr, /The last turn was cut off/);
  assert.deepEqual(await onDisk(it.home), [
    {
      id: session,
      turns: ["interrupted", "done"],
      said: ["user the question", "user once more", "assistant This one can."],
    },
  ]);
});

const itemsOf = (lines: readonly Line[]): readonly Line[] => lines.filter(({ type }) => type === "item");
