import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { closedPort } from "../../closed-port.ts";
import { startRawProvider } from "../../fakes/raw-provider.ts";
import { configure, says, talariaOn } from "../endpoint.ts";
import { talaria } from "../talaria.ts";
import { noPty } from "./pty.ts";
import { type Chat, chatOn } from "./tui.ts";

/** What was not answered is said with the next step, and one can go on. */
async function failsAndGoesOn(screen: Chat, fault: RegExp): Promise<void> {
  screen.say("hello?");
  await screen.shows(
    new RegExp(`› hello\\?[^]*^✗ ${fault.source}[^]*^→ [^]*\\n· failed · .*\\n─+\\n\\n─+\\n`, "m"),
  );
  screen.say("/status");
  await screen.shows(/^turns +1$/m);
}

describe("a dead model on the screen", { skip: noPty, concurrency: 2 }, () => {
  test("nobody is there", async () => {
    await using it = await talaria();
    await configure(it.home, `http://127.0.0.1:${await closedPort()}/v1`);
    await writeFile(join(it.home, ".env"), "MINE_KEY=x\n", { mode: 0o600 });
    await using screen = await chatOn(it);
    await failsAndGoesOn(screen, /Could not reach mine at http:\/\/127\.0\.0\.1:\d+/);
  });

  test("it goes away in the middle of its answer", async () => {
    await using it = await talariaOn([
      { reply: [{ text: "One two three four five six" }, { cut: { afterFrames: 5 } }] },
      says("Here again."),
    ]);
    await using screen = await chatOn(it);
    await failsAndGoesOn(screen, /The connection to mine .* ended before the answer was\n {2}complete/);
    await screen.shows(/› hello\?\n\nOne two\n/);
    screen.say("and now?");
    await screen.shows(/› and now\?\n\nHere again\./);
  });

  test("it never says anything", async () => {
    const asked = Promise.withResolvers<void>();
    await using silent = await startRawProvider([{ after: "hang" }], asked.resolve);
    await using it = await talaria();
    await configure(it.home, silent.url);
    await writeFile(join(it.home, ".env"), "MINE_KEY=x\n", { mode: 0o600 });
    await using screen = await chatOn(it);
    screen.say("hello?");
    await asked.promise;
    await screen.shows(/thinking · [1-9]\d* s · Ctrl\+C stops/);
    screen.type("meanwhile");
    await screen.shows(/^meanwhile$/m);
    screen.press("ctrl+c");
    await screen.shows(/· interrupted; what was finished is kept/);
    assert.match(screen.text(), /^meanwhile$/m);
  });

  test("it refuses the key", async () => {
    await using it = await talariaOn([
      { reply: [{ http: { status: 401, body: { error: { message: "who?" } } } }] },
    ]);
    await using screen = await chatOn(it);
    await failsAndGoesOn(screen, /mine .*who\?/);
  });
});
