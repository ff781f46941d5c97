import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { says, talariaOn } from "../endpoint.ts";
import { talaria } from "../talaria.ts";
import { noPty } from "./pty.ts";
import { chatOn, promptOf, shell } from "./tui.ts";

/** One pixel. */
const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("completion on the screen", { skip: noPty, concurrency: 2 }, () => {
  test("commands and their arguments are completed, and a slip is told with what was meant", async () => {
    await using it = await talaria();
    await using screen = await chatOn(it);
    screen.type("/");
    await screen.shows(/^→ \/.*(\n {2}\/.*){7}/m);
    screen.type("ru");
    await screen.shows(/^→ \/runtime .*\n[^/]*$/m);
    screen.press("tab");
    await screen.shows(/^\/runtime$/m);
    screen.type("co");
    await screen.shows(/^→ codex/m);
    screen.press("tab");
    await screen.gone("→");
    assert.equal(promptOf(screen), "/runtime codex");
    screen.press("ctrl+c");
    screen.say("/runtme");
    await screen.shows("There is no command /runtme. Did you mean /runtime?");
    screen.type("/re");
    await screen.shows(/^→ \/resume .*(\n {2}\/.*){4}/m);
    screen.press("enter");
    await screen.shows("/re could be /resume, /retry, /reasoning, /refine, /record, /replay. Write more");
    screen.say("/stat");
    await screen.shows(/^session .*\n[^]*^runtime +loop/m);
  });

  test("files are completed after an @, as git knows them where there is one", async () => {
    await using it = await talaria();
    await mkdir(join(it.cwd, "wing"));
    await writeFile(join(it.cwd, "wing", "feather.txt"), "");
    await writeFile(join(it.cwd, ".gitignore"), "hidden.txt\n");
    await writeFile(join(it.cwd, "hidden.txt"), "");
    await using plain = await chatOn(it);
    plain.type("see @");
    await plain.shows(/^→ \.gitignore\n {2}hidden\.txt\n {2}wing\/\n {2}wing\/feather\.txt$/m);
    await shell(it, "git init -q");
    await using screen = await chatOn(it);
    screen.type("see @");
    await screen.shows(/^→ \.gitignore\n {2}wing\/\n {2}wing\/feather\.txt$/m);
    screen.type("fea");
    await screen.shows(/^→ wing\/feather\.txt\n[^@]*$/m);
    screen.press("tab");
    await screen.shows(/^see @wing\/feather\.txt$/m);
    screen.type("now");
    await screen.shows(/^see @wing\/feather\.txt now$/m);
  });

  test("a picture that is mentioned goes along, and one that is too big is given back", async () => {
    await using it = await talariaOn([says("A dot.")]);
    await writeFile(join(it.cwd, "dot.png"), Buffer.from(picture, "base64"));
    await writeFile(
      join(it.cwd, "big.png"),
      Buffer.concat([Buffer.from(picture, "base64"), Buffer.alloc(20 * 1024 * 1024)]),
    );
    await using screen = await chatOn(it);
    screen.say("what is @big.png?");
    await screen.shows(/· @big\.png\? is larger than 20 MiB[^]*^what is @big\.png\?$/m);
    screen.press("ctrl+c");
    screen.say("what is @dot.png?");
    await screen.shows(/› what is @dot\.png\?\n {2}\[image: dot\.png\]\n\nA dot\./);
    assert.equal(it.model.total, 1);
    const heard = JSON.stringify(it.model.requests[0]?.body["input"]);
    assert.ok(heard.includes(`data:image/png;base64,${picture}`));
  });
});
