import assert from "node:assert/strict";
import { chmod, mkdir, open, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { tempFolder } from "../../../../test/temp-folder.ts";
import { systemClock } from "../../../lib/clock.ts";
import { runCommand } from "../../../lib/process/command.ts";
import { mentionWords, mentionedPictures } from "./mentioned-pictures.ts";

const png = Buffer.from("\u0089PNG\r\n\u001A\n rest", "latin1");
const jpeg = Buffer.from("\u00FF\u00D8\u00FF\u00E0 rest", "latin1");

describe("mentions", () => {
  test("a picture behind an @ goes beside the text, which stays as typed", async () => {
    await using it = await folder({ "shot.png": png });
    assert.deepEqual(await mentionedPictures("what is on @shot.png?", it.path), {
      parts: [
        { type: "text", text: "what is on @shot.png?" },
        { type: "image", name: "shot.png", mediaType: "image/png", base64: png.toString("base64") },
      ],
      problems: [],
    });
  });

  test("content decides, not the name", async () => {
    await using it = await folder({ "no-ending": png, "really.png": jpeg, "text.png": Buffer.from("hello") });
    const { parts, problems } = await mentionedPictures("@no-ending @really.png @text.png", it.path);
    assert.deepEqual(
      parts.map((part) => (part.type === "image" ? part.mediaType : part.type)),
      ["text", "image/png", "image/jpeg"],
    );
    assert.deepEqual(problems, []);
  });

  test("a picture that is pointed at twice goes once", async () => {
    await using it = await folder({ "a.png": png });
    assert.deepEqual(await it.names(`@a.png @./a.png ${it.path}/a.png @a.png.`), ["a.png"]);
  });

  test("what terminals write for a dropped file is understood", async () => {
    await using it = await folder({ "my owl (1).png": png, "plain.png": png });
    const dropped = join(it.path, "my owl (1).png");
    const written = [
      `'${dropped}'`,
      `"${dropped}"`,
      dropped.replaceAll(/[ ()]/g, "\\$&"),
      pathToFileURL(dropped).href,
      pathToFileURL(dropped).href.replace("file://", "file://localhost"),
      `@"my owl (1).png"`,
      `@'my owl (1).png'`,
      `@my\\ owl\\ \\(1\\).png`,
      `@~/${relative(homedir(), dropped)}`.replaceAll(" ", "\\ "),
    ];
    for (const text of written)
      assert.deepEqual(await it.names(`look: ${text} please`), ["my owl (1).png"], text);
    assert.deepEqual(await it.names(`(${join(it.path, "plain.png")})`), ["plain.png"]);
  });

  test("a bare name, an address inside a word and a name in backticks are only words", async () => {
    await using it = await folder({ "a.png": png });
    const path = join(it.path, "a.png");
    assert.deepEqual(await it.names(`a.png ./a.png me@a.png x${path} \`@a.png\` \`${path}\``), []);
  });

  test("other files, folders and what does not exist stay words without a problem", async () => {
    await using it = await folder({ "a.ts": Buffer.from("let a;"), "secret.txt": Buffer.from("x") });
    await chmod(join(it.path, "secret.txt"), 0);
    const text =
      '@a.ts @. @.. @/etc/passwd /etc/passwd @../../x @gone.png @secret.txt @Override @ @@ @"" @\'/ file://x/y file://%00';
    assert.deepEqual(await mentionedPictures(text, it.path), {
      parts: [{ type: "text", text }],
      problems: [],
    });
  });

  test("a picture outside of the folder can be pointed at", async () => {
    await using it = await folder({ "up.png": png });
    await mkdir(join(it.path, "in", "side"), { recursive: true });
    const { parts } = await mentionedPictures("@../../up.png", join(it.path, "in", "side"));
    assert.equal(parts.length, 2);
  });

  test("a picture that is too big is a problem with a way out, and is not read whole", async () => {
    await using it = await folder({ "huge.png": png });
    await using file = await open(join(it.path, "huge.png"), "r+");
    await file.truncate(100 * 1024 * 1024 * 1024);
    const { parts, problems } = await mentionedPictures("see @huge.png", it.path);
    assert.equal(parts.length, 1);
    assert.deepEqual(problems, [
      "@huge.png is larger than 20 MiB. Scale it down first, or write it in backticks to send only its name.",
    ]);
  });

  test("pictures that are too big together are a problem", async () => {
    const large = Buffer.concat([png, Buffer.alloc(15 * 1024 * 1024)]);
    await using it = await folder({ "a.png": large, "b.png": large, "c.png": large });
    assert.deepEqual((await mentionedPictures("@a.png @./a.png @b.png", it.path)).problems, []);
    const { parts, problems } = await mentionedPictures("@a.png @b.png @c.png", it.path);
    assert.equal(parts.length, 3);
    assert.match(problems.join("\n"), /^@c\.png: too many pictures for one message\. Send fewer/);
  });

  test("what the system cannot read is a problem, and its words cannot steer the terminal", async () => {
    await using it = await folder({});
    await symlink("round.png", join(it.path, "round.png"));
    await symlink("x\u001B[2J.png", join(it.path, "x\u001B[2J.png"));
    const { problems } = await mentionedPictures("@round.png @x\u001B[2J.png", it.path);
    assert.equal(problems.length, 2);
    assert.match(problems[0] ?? "", /^@round\.png cannot be read: ELOOP/);
    assert.ok(!problems.join("").includes("\u001B"));
  });

  test("pipes and devices are never opened", async () => {
    await using it = await folder({});
    const args = [join(it.path, "pipe.png")];
    const signal = new AbortController().signal;
    await runCommand({
      command: "mkfifo",
      args,
      cwd: "/",
      env: { PATH: process.env["PATH"] ?? "" },
      clock: systemClock,
      signal,
    });
    await symlink("/dev/zero", join(it.path, "zero.png"));
    const text = "@pipe.png @zero.png @/dev/zero @/dev/stdin /dev/tty";
    assert.deepEqual(await mentionedPictures(text, it.path), {
      parts: [{ type: "text", text }],
      problems: [],
    });
  });

  test("a long text with many words like these takes no long time", async () => {
    const text = Array.from({ length: 20_000 }, (_, at) => `@"x @name${at} '/p${at} /q\\ ${at} file://`).join(
      "\n",
    );
    assert.equal(mentionWords(text).length, 2_000);
    assert.deepEqual(mentionWords(`@${"a".repeat(100_000)}`), []);
    assert.deepEqual(mentionWords("a\0 @x\0y"), []);
  });
});

async function folder(files: Readonly<Record<string, Buffer>>) {
  const temp = await tempFolder();
  const { path } = temp;
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content);
  return {
    path,
    names: async (text: string): Promise<readonly string[]> =>
      (await mentionedPictures(text, path)).parts.flatMap((part) =>
        part.type === "image" ? [part.name] : [],
      ),
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
}
