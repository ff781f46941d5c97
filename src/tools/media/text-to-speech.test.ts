import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { smallDisk } from "../../../test/e2e/maintenance/small-disk.ts";
import type { ProcessRegistry } from "../../lib/process/child.ts";
import { toolBench } from "../tool-bench.suite.ts";
import type { Tool } from "../tool.ts";
import { findEspeak, plainSpeech } from "./espeak.ts";
import { mediaFolder, unregistered } from "./media-bench.suite.ts";
import { type SpeechDeps, textToSpeechTool } from "./text-to-speech.ts";

const real = findEspeak(process.env);
const needsEspeak = { skip: real === undefined ? "espeak-ng is not installed" : false };

async function opened(given: Partial<SpeechDeps> = {}) {
  await using parts = new AsyncDisposableStack();
  const media = parts.use(await mediaFolder());
  const env = { PATH: process.env["PATH"] };
  const tool = textToSpeechTool({
    speaker: () => "espeak",
    mediaFolder: media.folder,
    env,
    processes: unregistered,
    ...given,
  }) as unknown as Tool;
  const bench = parts.use(await toolBench([tool]));
  const kept = parts.move();
  const say = (args: Record<string, unknown>, signal?: AbortSignal) =>
    bench.call("text_to_speech", args, signal);
  return { ...media, bench, tool, say, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** The file that an answer names. */
async function spoken(output: string) {
  const [, path = "", seconds = "", bytes = ""] =
    /^The speech is in (\S+) \(([\d.]+) seconds, WAV, (\d+) bytes\)\.$/.exec(output) ?? assert.fail(output);
  const sound = await readFile(path);
  assert.equal(sound.length, Number(bytes));
  const step = Math.max(1, Math.floor(sound.length / 40_000)) * 2;
  const count = Math.floor((sound.length - 44) / step);
  const samples = new Set(Array.from({ length: count }, (_, at) => sound.readInt16LE(44 + at * step)));
  return { path, seconds: Number(seconds), sound, varied: samples.size };
}

describe("speech from the real espeak-ng", needsEspeak, () => {
  test("is a WAV that lasts and is not silent, for its owner alone", async () => {
    await using it = await opened();
    const { ok, output } = await it.say({ text: "Good morning. The boats are red." });
    assert.equal(ok, true, output);
    const { path, seconds, sound, varied } = await spoken(output);
    assert.equal(sound.toString("latin1", 0, 4) + sound.toString("latin1", 8, 12), "RIFFWAVE");
    assert.deepEqual([sound.readUInt32LE(4), sound.readUInt32LE(40)], [sound.length - 8, sound.length - 44]);
    assert.ok(seconds > 1 && seconds < 20, `${seconds}`);
    assert.ok(varied > 100, `${varied} different samples`);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal((await stat(it.folder)).mode & 0o777, 0o700);
    assert.equal(dirname(path), it.folder);
    assert.match(path, /speech-\d{8}-\d{6}-[0-9a-f]{8}\.wav$/);
    assert.equal((await it.left()).length, 1, "nothing unfinished is left");
    assert.deepEqual(
      it.bench.asked.map(({ effect }) => effect),
      ["local"],
    );
  });

  test("takes any script, and the longest text", async () => {
    await using it = await opened();
    const short = await spoken((await it.say({ text: "Grüße, 你好, привет 🎉 \ud800" })).output);
    assert.ok(short.seconds > 1);
    const long = await spoken((await it.say({ text: "Red boats. ".repeat(500).slice(0, 5000) })).output);
    assert.ok(long.seconds > 60, `${long.seconds}`);
    const { ok, output } = await it.say({ text: "a".repeat(5001) });
    assert.deepEqual([ok, /text: .*5000/.test(output)], [false, true], output);
  });

  test("reads out what looks like an option or like markup", async () => {
    await using it = await opened();
    for (const text of [
      "--version",
      "-v de -w /tmp/x",
      "<speak><break time='9s'/>hi</speak>",
      "[[h@l'oU]] [[[[",
    ])
      assert.ok((await spoken((await it.say({ text })).output)).varied > 100, text);
    const phonemes = await spoken((await it.say({ text: "[[aI]]" })).output);
    const letters = await spoken((await it.say({ text: "aI" })).output);
    assert.ok(phonemes.seconds >= letters.seconds);
  });

  test("is refused where there is nothing to say", async () => {
    await using it = await opened();
    for (const text of ["", " \n\t ", "- - -"]) {
      const { ok, output } = await it.say({ text });
      assert.equal(ok, false, JSON.stringify(text));
      assert.match(output, /text to speak|nothing in the text that can be spoken/);
    }
    assert.deepEqual(await it.left(), []);
  });

  test("has the voice that was named: of the call, then its language, then the settings", async () => {
    await using it = await opened({ voice: "de" });
    const text = "ich sehe";
    const own = await spoken((await it.say({ text })).output);
    const same = await spoken((await it.say({ text, language: "de" })).output);
    const other = await spoken((await it.say({ text, voice: "fr", language: "de" })).output);
    assert.ok(own.sound.equals(same.sound));
    assert.ok(!own.sound.equals(other.sound));
    const { ok, output } = await it.say({ text, voice: "klingonese" });
    assert.deepEqual([ok, /no voice klingonese.*espeak-ng --voices/.test(output)], [false, true], output);
    assert.equal((await it.say({ text, voice: "../../etc/passwd" })).ok, false);
    assert.equal((await it.say({ text, voice: "-w" })).ok, false);
  });

  test("a full disk is said, and leaves nothing", async (t) => {
    const disk = await smallDisk();
    if (typeof disk === "string") return t.skip(disk);
    await using full = disk;
    await using it = await opened({ mediaFolder: join(full.folder, "media") });
    assert.equal((await it.say({ text: "Hi." })).ok, true);
    full.fill(20_000);
    const { ok, output } = await it.say({ text: "The boats are red, and the sea is green. ".repeat(20) });
    assert.deepEqual([ok, /disk is full.*Free some space/.test(output)], [false, true], output);
    await full.free();
    assert.equal((await it.say({ text: "Hi again." })).ok, true, "and works again when there is space");
  });
});

test("markup and control characters become plain text", () => {
  assert.equal(plainSpeech("[[a]] [[[b"), "[ [a]] [ [ [b");
  assert.equal(plainSpeech("a\u0001b\u0000c\nd"), "a b c\nd");
});

test("without espeak-ng the tool says why, and what to do", async () => {
  await using it = await opened({ env: { PATH: "" } });
  const { ok, output } = await it.say({ text: "Hi." });
  assert.equal(ok, false);
  assert.match(
    output,
    /cannot be used here: espeak-ng is not installed.*apt install espeak-ng.*tts\.provider/,
  );
  assert.match(it.tool.unavailable?.() ?? "", /espeak-ng is not installed/);
});

test("a program that fails, or is no espeak-ng, is told in a sentence", async () => {
  await using it = await opened();
  const PATH = await it.program("espeak-ng", "echo 'wave data: broken' >&2; exit 3");
  await using broken = await opened({ env: { PATH } });
  assert.deepEqual(await broken.say({ text: "Hi." }), {
    ok: false,
    output: "Nothing was spoken: espeak-ng failed (wave data: broken). Try again.",
  });
  await it.program("espeak-ng", "cat > /dev/null; echo 'not a sound'");
  await using silent = await opened({ env: { PATH: `${PATH}:/bin:/usr/bin` } });
  assert.match((await silent.say({ text: "Hi." })).output, /something that is no sound/);
  assert.deepEqual([await broken.left(), await silent.left()], [[], []]);
});

test("gets the text by its input, and of the environment only what is on the list", async () => {
  await using it = await opened();
  const PATH = await it.program("espeak-ng", `{ echo "$@"; env; cat; } > "${it.top}/seen"; exit 3`);
  await using seen = await opened({
    env: { PATH: `${PATH}:/bin:/usr/bin`, OPENAI_API_KEY: "sk-1", LANG: "C" },
  });
  await seen.say({ text: "the secret words" });
  const [args = "", ...rest] = (await readFile(`${it.top}/seen`, "utf8")).split("\n");
  assert.match(args, /^--stdin -b 1 --stdout$/);
  assert.equal(rest.at(-1), "the secret words");
  assert.ok(rest.includes("LANG=C"));
  assert.ok(!rest.join().includes("sk-1"));
});

test("Stop in the middle ends the program, and leaves no file", { timeout: 60_000 }, async () => {
  await using it = await opened();
  const { running, PATH, gone } = await hanging(it);
  await using slow = await opened({ env: { PATH: `${PATH}:/bin:/usr/bin` }, processes: gone.registry });
  const stop = new AbortController();
  const said = slow.say({ text: "Hi." }, stop.signal);
  await running();
  assert.equal((await slow.left()).length, 1, "it writes");
  stop.abort();
  assert.deepEqual(await said, { ok: false, output: "interrupted" });
  await gone.promise;
  while ((await slow.left()).length > 0) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(await slow.left(), []);
});

/** A program that never ends by itself. `gone` when no process of it is left. */
async function hanging(it: Awaited<ReturnType<typeof opened>>) {
  const ready = `${it.top}/ready`;
  const PATH = await it.program(
    "espeak-ng",
    `cat > /dev/null; echo x > "${ready}"; while :; do sleep 60; done`,
  );
  const gone = Promise.withResolvers<void>();
  const registry: ProcessRegistry = { add: async () => {}, remove: async () => gone.resolve() };
  return {
    PATH,
    gone: { promise: gone.promise, registry },
    async running() {
      while ((await readFile(ready, "utf8").catch(() => "")) === "")
        await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
