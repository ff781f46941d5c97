import assert from "node:assert/strict";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, describe, test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { type MediaReply, refusal, startMediaService } from "../../../test/fakes/media-service.ts";
import { png } from "../../../test/fakes/media-service-pictures.ts";
import { mp3, wav } from "../../../test/fakes/media-service-sounds.ts";
import { smallDisk } from "../../../test/e2e/maintenance/small-disk.ts";
import { tempHome } from "../../config/temp-home.suite.ts";
import type { StoredUsage } from "../../core/usage.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { toolBench } from "../../tools/tool-bench.suite.ts";
import { mediaFolder, unregistered } from "../../tools/media/media-bench.suite.ts";
import { type MediaSources, mediaTools } from "./media-tools.ts";
import { routes } from "../models/routes.ts";

const secret = "sk-canary-0123456789abcdef";

type Given = {
  readonly settings?: string;
  readonly replies?: readonly MediaReply[];
  readonly clock?: Clock;
  readonly media?: string;
} & Partial<MediaSources>;

const drawing = `auxiliary: { vision: { provider: mine, model: eyes } }
image_gen: { provider: mine, model: painter }
tts: { provider: mine, model: speaker, voice: anna }`;

/** The tools over a service on loopback that draws and speaks. */
async function opened(t: TestContext, given: Given = {}) {
  const { settings = drawing, replies = [], clock = systemClock, media, ...also } = given;
  const parts = new AsyncDisposableStack();
  t.after(() => parts.disposeAsync());
  const folder = parts.use(await mediaFolder());
  const service = parts.use(await startMediaService(replies, { picture: png(8, 6), sound: wav(1.5) }));
  const home = await tempHome(t, {
    config: `providers: { mine: { api: "${service.url}", key_env: MINE_KEY, headers: { x-team: blue } } }\n${settings}`,
    env: `MINE_KEY=${secret}\n`,
  });
  const read = await home.load();
  const paths = { ...read.config.paths, media: media ?? folder.folder };
  const loaded = { ...read, config: { ...read.config, paths } };
  const rows: StoredUsage[] = [];
  const tools = await mediaTools({
    loaded,
    env: { PATH: "" },
    routes: parts.use(routes(loaded, clock)),
    auxiliary: async () => ({ text: "A square.", provider: "mine", model: "eyes" }),
    access: { isKnown: async () => true, hasSecret: () => false, askUnknown: true, allowPrivate: [] },
    guarded: [],
    processes: unregistered,
    usedUp: async () => undefined,
    record: async (row) => void rows.push(row),
    clock,
    log: () => {},
    ...also,
  });
  const bench = parts.use(await toolBench(tools, clock));
  return {
    ...folder,
    service,
    rows,
    bench,
    tools,
    draw: (args: Record<string, unknown> = {}, signal?: AbortSignal) =>
      bench.call("image_generate", { prompt: "a red boat", ...args }, signal),
    speak: (args: Record<string, unknown> = {}, signal?: AbortSignal) =>
      bench.call("text_to_speech", { text: "Hello.", ...args }, signal),
  };
}

describe("a picture", () => {
  test("is drawn by the provider of the settings, and put into a file for its owner alone", async (t) => {
    const usage = { input_tokens: 12, output_tokens: 4096, total_tokens: 4108 };
    const data = [{ b64_json: png(8, 6).toString("base64") }];
    const it = await opened(t, { replies: [{ body: { created: 1, data, usage } }] });
    const { ok, output } = await it.draw({ aspect: "portrait" });
    const path = /^The picture is in (\S+\.png) \(8 × 6 pixels, PNG, \d+ bytes\)\.$/.exec(output)?.[1];
    assert.ok(ok && path !== undefined, output);
    assert.ok((await readFile(path)).equals(png(8, 6)));
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal((await it.left()).length, 1, "nothing unfinished is left");
    const [request] = it.service.requests;
    assert.equal(request?.path, "/v1/images/generations");
    assert.deepEqual(request?.body, {
      model: "painter",
      prompt: "a red boat",
      n: 1,
      size: "1024x1536",
      response_format: "b64_json",
    });
    assert.equal(request?.headers.authorization, `Bearer ${secret}`);
    assert.equal(request?.headers["x-team"], "blue");
    assert.deepEqual(
      it.bench.asked.map(({ effect }) => effect),
      ["local"],
    );
    const [row] = it.rows;
    assert.partialDeepStrictEqual(row, { cause: "image_generate", provider: "mine", model: "painter" });
    assert.deepEqual([row?.input, row?.output, row?.session], [12, 4096, "ses_0000000001"]);
  });

  test("has the shape that was asked for, in the sizes that its model knows", async (t) => {
    const it = await opened(t);
    for (const aspect of [undefined, "landscape", "square"]) await it.draw({ aspect });
    const dalle = await opened(t, { settings: "image_gen: { provider: mine, model: dall-e-3 }" });
    await dalle.draw({ aspect: "landscape" });
    const sizes = [...it.service.requests, ...dalle.service.requests].map(({ body }) => body["size"]);
    assert.deepEqual(sizes, ["1024x1024", "1536x1024", "1024x1024", "1792x1024"]);
    assert.deepEqual(it.rows, [], "no row where nobody says what it cost");
  });

  test("is asked for without the fields that the service does not take, and says if its shape is lost", async (t) => {
    const it = await opened(t, {
      replies: [
        refusal(400, "Unknown parameter: 'response_format'.", { param: "response_format" }),
        refusal(422, "Extra inputs are not permitted: body.size"),
      ],
    });
    const { ok, output } = await it.draw();
    assert.equal(ok, true, output);
    assert.match(output, /painter does not let its shape be chosen\.$/);
    assert.deepEqual(Object.keys(it.service.requests[2]?.body ?? {}), ["model", "prompt", "n"]);
  });

  test("that is given as an address is fetched from there, without the key", async (t) => {
    const replies: MediaReply[] = [];
    const it = await opened(t, { replies });
    const { origin } = new URL(it.service.url);
    replies.push({ body: { data: [{ url: `${origin}/pictures/1.png` }] } });
    assert.match((await it.draw()).output, /^The picture is in /);
    replies.push({ body: { data: [{ url: "http://169.254.169.254/latest" }] } });
    assert.match((await it.draw()).output, /drawn, but could not be fetched: .*not on the public internet/);
    replies.push({ body: { data: [{ url: `${origin}/gone.png` }] } });
    assert.match((await it.draw()).output, /drawn, but its address answered with 404/);
    assert.equal((await it.left()).length, 1);
  });

  test("is not drawn when the budget is used up", async (t) => {
    const spent = { code: "quota", message: "The day's budget is used up.", next: "Wait." } as const;
    const it = await opened(t, { usedUp: async () => spent });
    assert.match((await it.draw()).output, /Nothing was drawn: The day's budget is used up\. Wait\./);
    assert.deepEqual(it.service.requests, []);
  });

  test("counts even when the ledger cannot be written to", async (t) => {
    const log: string[] = [];
    const body = { data: [{ b64_json: png(8, 6).toString("base64") }], usage: { input_tokens: 1 } };
    const it = await opened(t, {
      replies: [{ body }],
      record: () => Promise.reject(new Error("disk full")),
      log: (line) => log.push(line),
    });
    assert.equal((await it.draw()).ok, true);
    assert.match(log.join(), /image_generate.*disk full/);
  });

  test("that cannot be kept is said to be lost, with what to do", async (t) => {
    const disk = await smallDisk();
    if (typeof disk === "string") return t.skip(disk);
    await using full = disk;
    const it = await opened(t, { media: join(full.folder, "media") });
    full.fill();
    const { ok, output } = await it.draw();
    assert.deepEqual(
      [ok, /drawn and is lost.*the disk is full\. Free some space/.test(output)],
      [false, true],
      output,
    );
    const blocked = await opened(t, { media: join(it.top, "file", "media") });
    await writeFile(join(it.top, "file"), "");
    assert.match((await blocked.draw()).output, /not a folder|file in its place/);
  });
});

describe("speech from a provider", () => {
  test("is asked for as WAV with the voice of the call or of the settings", async (t) => {
    const it = await opened(t);
    const { ok, output } = await it.speak({ voice: "bella", language: "de" });
    assert.ok(ok && /The speech is in \S+\.wav \(1\.5 seconds, WAV, \d+ bytes\)\.$/.test(output), output);
    await it.speak();
    assert.deepEqual(
      it.service.requests.map(({ path, body }) => [path, body]),
      ["bella", "anna"].map((voice) => [
        "/v1/audio/speech",
        { model: "speaker", input: "Hello.", response_format: "wav", voice },
      ]),
    );
  });

  test("may be MP3 where there is no WAV", async (t) => {
    const it = await opened(t, {
      replies: [refusal(400, "response_format must be mp3"), { type: "audio/mpeg", body: mp3(50) }],
    });
    assert.match((await it.speak()).output, /\.mp3 \(1\.3 seconds, MP3, 20850 bytes\)/);
    assert.equal(it.service.requests[1]?.body["response_format"], "mp3");
  });

  test("needs a voice that the provider has", async (t) => {
    const it = await opened(t, { replies: [refusal(400, "Unknown voice", { param: "voice" })] });
    assert.match((await it.speak()).output, /Unknown voice.*setting tts\.voice/);
  });
});

describe("trouble with a service is one clear answer with the next step", () => {
  const html = { type: "text/html", body: "<html><title>Welcome</title></html>" };
  const troubles: readonly (readonly [string, MediaReply, RegExp])[] = [
    ["401", refusal(401, `bad key ${secret}`), /mine did not accept the key .*Check MINE_KEY/],
    ["402", refusal(402, "no credit"), /plan or budget is used up.*billing of mine/],
    ["403", refusal(403, "not for you"), /did not accept the key/],
    ["404", refusal(404, "no such model"), /does not know the model.*now (?:painter|speaker)/],
    ["413", refusal(413, "too large"), /413.*Make it shorter/],
    [
      "429",
      { ...refusal(429, "slow down"), headers: { "retry-after": "30" } },
      /too many requests.*in 30 seconds/,
    ],
    ["429 of a plan", refusal(429, "spent", { code: "insufficient_quota" }), /plan or budget is used up/],
    ["a refusal", refusal(400, "unsafe", { code: "content_policy_violation" }), /refused.*other words/],
    ["500", refusal(500, "oops"), /cannot serve the request.*try again/],
    ["502 as a page", { ...html, status: 502 }, /a web page titled “Welcome”.*try again/],
    [
      "a redirect",
      { status: 307, headers: { location: "http://127.0.0.1:1/v1" }, body: "" },
      /redirects to .*Check/,
    ],
    ["a page", html, /answered with a web page titled “Welcome”.*Check/],
    ["nothing", { body: "" }, /answered with nothing.*Check/],
    ["another type", { body: "no picture, no sound" }, /(?:without a picture|no WAV and no MP3)\. Check/],
    ["JSON without it", { body: { data: [{ b64_json: "AAAA" }] } }, /not a picture|no WAV and no MP3/],
    ["too much", { body: Buffer.alloc(64 * 1024 * 1024 + 1) }, /passed the limit of 64 MiB/],
  ];
  for (const [name, reply, expected] of troubles)
    test(name, async (t) => {
      const it = await opened(t, { replies: [reply, reply] });
      for (const answer of [await it.draw(), await it.speak()]) {
        assert.equal(answer.ok, false);
        assert.match(answer.output, expected);
        assert.ok(!answer.output.includes(secret), answer.output);
      }
      assert.equal(it.service.requests.length, 2, "nothing is asked twice");
      assert.deepEqual(await it.left(), []);
    });

  test("an address where nobody listens", async (t) => {
    const it = await opened(t, {
      settings: `fallback_providers: []\n${drawing.replaceAll("mine", "vllm")}`,
    });
    assert.match((await it.draw()).output, /Could not reach vllm.*nothing listens there.*Check the network/);
  });

  test("one that never answers is given up, and so is the connection", async (t) => {
    const clock = fakeClock();
    const it = await opened(t, { replies: [{ hang: true }, { hang: true }], clock });
    for (const [at, ask] of [it.draw, it.speak].entries()) {
      const answer = ask();
      await it.service.waitForRequest(at + 1);
      await clock.advance(170_000);
      const { ok, output } = await answer;
      assert.deepEqual(
        [ok, /sent nothing for 1[17]0 seconds.*try again/.test(output)],
        [false, true],
        output,
      );
    }
    while (it.service.leftAlone() < 2) await new Promise((resolve) => setImmediate(resolve));
  });

  test("Stop ends the request, and nothing is left", async (t) => {
    const it = await opened(t, { replies: [{ hang: true }, { hang: true }] });
    for (const [at, ask] of [it.draw, it.speak].entries()) {
      const stop = new AbortController();
      const answer = ask({}, stop.signal);
      await it.service.waitForRequest(at + 1);
      stop.abort();
      assert.deepEqual(await answer, { ok: false, output: "interrupted" });
    }
    while (it.service.leftAlone() < 2) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(await it.left(), []);
  });
});

describe("a tool whose backend is missing is listed, and says why and what to do", () => {
  const cases: readonly (readonly [string, string, string, RegExp])[] = [
    ["nobody draws", "", "image_generate", /no provider is set that draws pictures.*image_gen\.provider/],
    [
      "an unknown provider",
      "image_gen: { provider: nobody }",
      "image_generate",
      /nobody, which is not a provider/,
    ],
    ["a login", "image_gen: { provider: openai-codex }", "image_generate", /has no address of its own/],
    ["no model", "image_gen: { provider: mine }", "image_generate", /no model of mine.*image_gen\.model/],
    ["no key", "image_gen: { provider: openai }", "image_generate", /OPENAI_API_KEY is not set\. Put/],
    ["no espeak-ng", "", "text_to_speech", /espeak-ng is not installed.*tts\.provider/],
    ["nobody speaks", "tts: { provider: demo }", "text_to_speech", /has no address of its own/],
    ["the built-in model", "", "vision_analyze", /built-in model sees no pictures.*auxiliary\.vision/],
    [
      "eyes without a key",
      "auxiliary: { vision: { provider: groq, model: x } }",
      "vision_analyze",
      /GROQ_API_KEY/,
    ],
  ];
  for (const [name, settings, tool, expected] of cases)
    test(name, async (t) => {
      const it = await opened(t, { settings });
      assert.match(it.tools.find((each) => each.name === tool)?.unavailable?.() ?? "", expected);
      const args = { prompt: "x", text: "x", image: "x", question: "x" };
      const { ok, output } = await it.bench.call(tool, args);
      assert.equal(ok, false);
      assert.match(output, expected);
    });
});

test("bad arguments are refused before anything happens", async (t) => {
  const it = await opened(t);
  for (const [tool, args] of [
    ["image_generate", {}],
    ["image_generate", { prompt: "  " }],
    ["image_generate", { prompt: "x", aspect: "round" }],
    ["text_to_speech", { text: "" }],
    ["text_to_speech", { text: "x", voice: "a b" }],
    ["text_to_speech", { text: "x".repeat(5001) }],
    ["vision_analyze", { image: "x" }],
  ] as const) {
    const { ok, output } = await it.bench.call(tool, args);
    assert.deepEqual(
      [ok, /was not run, because its arguments do not fit/.test(output)],
      [false, true],
      output,
    );
  }
  assert.deepEqual([it.service.requests, await it.left()], [[], []]);
});

test("all are deferred, each in its own toolset", async (t) => {
  const it = await opened(t);
  assert.deepEqual(
    it.tools.map(({ name, toolset, deferred }) => [name, toolset, deferred]),
    [
      ["vision_analyze", "vision", true],
      ["image_generate", "image_gen", true],
      ["text_to_speech", "tts", true],
    ],
  );
});
