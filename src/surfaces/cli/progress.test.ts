import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { progress, withProgress } from "./progress.ts";

function terminal(isTTY: boolean) {
  let written = "";
  const stderr = Object.assign(new PassThrough(), { isTTY });
  stderr.on("data", (chunk: Buffer) => (written += chunk.toString()));
  return { out: { stderr, env: {} }, written: () => written };
}

test("nothing is shown of what is done within a second", async () => {
  const { out, written } = terminal(true);
  const clock = fakeClock();
  const work = withProgress(out, clock, "Working", () => clock.sleep(999).then(() => "done"));
  await clock.advance(999);
  assert.equal(await work, "done");
  assert.equal(written(), "");
  assert.equal(clock.pending(), 0);
});

test("after a second it says what goes on and for how long, and nothing of it stays", async () => {
  const { out, written } = terminal(true);
  const clock = fakeClock();
  const line = progress(out, clock, "Looking");
  await clock.advance(1000);
  assert.equal(written(), "\r\u001b[2KLooking… 1 s");
  line.update("Fixing");
  await clock.advance(1000);
  assert.ok(written().endsWith("\r\u001b[2KFixing… 2 s"));
  line.clear();
  line.clear();
  assert.ok(written().endsWith("2 s\r\u001b[2K"));
  await clock.advance(1000);
  line[Symbol.dispose]();
  assert.ok(written().endsWith("3 s\r\u001b[2K"));
  await clock.advance(5000);
  assert.ok(written().endsWith("3 s\r\u001b[2K"), "nothing comes afterwards");
});

test("a failure takes the line away, too", async () => {
  const { out, written } = terminal(true);
  const clock = fakeClock();
  const work = withProgress(out, clock, "Working", () =>
    clock.sleep(1500).then(() => {
      throw new Error("broken");
    }),
  );
  await Promise.all([assert.rejects(work, /broken/), clock.advance(1500)]);
  assert.ok(written().endsWith("1 s\r\u001b[2K"));
});

test("where stderr is no terminal, or a dumb one, nothing is shown", async () => {
  const [file, dumb] = [terminal(false), terminal(true)];
  for (const [out, written] of [
    [file.out, file.written],
    [{ ...dumb.out, env: { TERM: "dumb" } }, dumb.written],
  ] as const) {
    const clock = fakeClock();
    using _ = progress(out, clock, "Looking");
    await clock.advance(9000);
    assert.equal(written(), "");
  }
});
