import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { conversation, says, talariaOn } from "./endpoint.ts";
import { onDisk } from "./on-disk.ts";
import { talaria } from "./talaria.ts";

describe("chat", { concurrency: 2 }, () => {
  test("without words and without input it shows one turn and how to go on", async () => {
    await using it = await talaria();
    const { code, stdout, stderr } = await it.run([]);
    assert.equal(code, 0);
    assert.match(stdout, /^› hello\nHello! I am Talaria/);
    assert.match(stdout, /\n {2}talaria run "your question"/);
    assert.equal(stderr, "");
  });

  test("each piped line is a turn of one session, also one without a line end", async () => {
    await using it = await talariaOn([says("Nice to meet you."), says("Your name is Ada.")]);
    const { code, stdout } = await it.run([], { input: "my name is Ada\n\n  \nwhat is my name?" });
    assert.deepEqual([code, stdout], [0, "Nice to meet you.\nYour name is Ada.\n"]);
    assert.deepEqual(conversation(it.model.requests[1]), [
      "my name is Ada",
      "Nice to meet you.",
      "what is my name?",
    ]);
    assert.equal((await onDisk(it.home)).length, 1);
  });

  test("commands are answered without the model, mistyped ones too", async () => {
    await using it = await talariaOn([says("One."), says("Two.")]);
    const input = [
      "/help",
      "/status",
      "one",
      "/status",
      "/new",
      "two",
      "/sessions",
      "/doctor",
      "/hepl",
      "/quit",
    ];
    const { code, stdout } = await it.run([], { input: `${[...input, "after leaving"].join("\n")}\n` });
    assert.equal(code, 0);
    for (const name of ["help", "new", "sessions", "status", "doctor", "quit"]) {
      assert.match(stdout, new RegExp(`^ {2}/${name}\\b.* {2}\\S`, "m"));
    }
    const sessions = stdout.match(/^session +(.+)$/gm)?.map((line) => line.replace(/^session +/, ""));
    assert.equal(sessions?.[0], "none yet");
    assert.match(sessions?.[1] ?? "", /^ses_/);
    assert.match(stdout, /^model +gpt-5\.5 \(mine\), the default$/m);
    assert.match(stdout, /^A new session starts with your next message\.$/m);
    assert.match(stdout, /^\* 1 {2}ses_\w+ .* two\n {2}2 {2}ses_\w+ .* one$/m);
    assert.match(stdout, /^note model: gpt-5\.5 at mine \(responses, \S+\); it answers/m);
    assert.match(stdout, /^There is no command \/hepl\. Did you mean \/help\?/m);
    assert.equal(it.model.total, 2);
    assert.deepEqual(conversation(it.model.requests[1]), ["two"], "the new session starts empty");
  });

  test("what only looks like a command is sent to the model", async () => {
    await using it = await talariaOn([says("A path."), says("A comment.")]);
    const { stdout } = await it.run([], { input: "/usr/bin is what?\n// is what?\n" });
    assert.equal(stdout, "A path.\nA comment.\n");
  });

  test("a turn that fails does not end the chat, and the last one decides the exit code", async () => {
    const refused = { reply: [{ http: { status: 401 } }] };
    await using it = await talariaOn([refused, says("Now."), refused]);
    const first = await it.run([], { input: "one\ntwo\n" });
    assert.deepEqual([first.code, first.stdout], [0, "Now.\n"]);
    assert.match(first.stderr, /did not accept the key/);
    assert.equal((await it.run([], { input: "three\n" })).code, 1);
  });

  test("a line that cannot be sent is told, and the chat goes on", async () => {
    await using it = await talariaOn([says("One."), says("Three.")]);
    const child = await it.start([]);
    await child.write("one\n/status\n");
    await child.shows(/^home /m); // what it answers only when the turn is over
    const [session] = await onDisk(it.home);
    assert.equal((await it.run(["sessions", "delete", session?.id ?? "", "--yes"])).code, 0);
    await child.write("two\n/new\nthree\n");
    child.closeInput();
    const { code, stdout, stderr } = await child.finished;
    assert.match(
      stdout,
      /^One\.\n(\w+ {2}.*\n)+A new session starts with your next message\.\nBack: \/resume ses_\w+\nThree\.\n$/,
    );
    assert.ok(stderr.startsWith(`talaria: There is no session ${session?.id}.`), stderr);
    assert.equal(code, 0);
  });
});
