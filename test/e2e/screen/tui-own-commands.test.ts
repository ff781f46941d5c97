import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { processesOf } from "../codex/codex-talaria.ts";
import { conversation, talariaOn } from "../endpoint.ts";
import { noPty } from "./pty.ts";
import { chatOn } from "./tui.ts";

describe("commands of the person's own on the screen", { skip: noPty, concurrency: 2 }, () => {
  test("! shows the output and tells the model with the next message, !! keeps it", async () => {
    await using it = await talariaOn({ otherwise: [{ text: "Noted." }] });
    await using screen = await chatOn(it);
    screen.say("!echo told; exit 3");
    await screen.shows(/^✗ \$ {2}echo told; exit 3 · exit 3 · .*\n {2}told$/m);
    screen.say("!!echo kept");
    await screen.shows(/^✓ \$ {2}echo kept · .*\n {2}kept$/m);
    assert.equal(it.model.total, 0);
    screen.say("and now?");
    await screen.shows(/› and now\?\n\nNoted\./);
    const ran =
      "I ran this command myself; it ended with exit code 3:\n\n$ echo told; exit 3\ntold\n\nand now?";
    assert.deepEqual(conversation(it.model.requests[0]), [ran]);
    screen.say("and then?");
    await screen.shows(/› and then\?\n\nNoted\./);
    assert.deepEqual(conversation(it.model.requests[1]), [ran, "Noted.", "and then?"]);
  });

  test("Ctrl+C ends it with all that it started", async () => {
    await using it = await talariaOn([]);
    await using screen = await chatOn(it);
    screen.say("!sleep 600 & sleep 601; echo never");
    await screen.shows(/^. \$ {2}sleep 600/m);
    await screen.shows(/sleep 600 .* · [1-9]\d* s$/m);
    assert.equal((await processesOf(it)).filter((line) => line.includes("sleep 60")).length, 3);
    screen.press("ctrl+c");
    await screen.shows(/^✗ \$ {2}sleep 600 .* · SIGTERM · /m);
    assert.deepEqual(
      (await processesOf(it)).filter((line) => line.includes("sleep 60")),
      [],
    );
    screen.say("!echo still here");
    await screen.shows(/^ {2}still here$/m);
  });
});
