import assert from "node:assert/strict";
import { mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { systemClock } from "../../../src/lib/clock.ts";
import { parseDemoScript } from "../../fakes/demo-script.ts";
import { type DemoModel, startDemoModel } from "../../fakes/demo-model.ts";
import { hangs, says, secretKey } from "../endpoint.ts";
import {
  codexMissing,
  codexTooOld,
  codexWith,
  empty,
  fullDisk,
  leftIn,
  noSandbox,
  type Scene,
} from "../scenes.ts";
import { noPty } from "../screen/pty.ts";
import { type Screen, onScreen } from "../screen/screen.ts";
import type { Talaria } from "../talaria.ts";

/** A provider with one model, `demo`, that answers so. */
const model = (steps: readonly object[]): Promise<DemoModel> =>
  startDemoModel({ clock: systemClock, script: parseDemoScript({ steps }) });

const refusesKeys = {
  reply: [{ http: { status: 401, body: { error: { message: "Incorrect API key provided" } } } }],
};

const config = ({ home }: Talaria): Promise<string | undefined> =>
  readFile(join(home, "config.yaml"), "utf8").catch(() => undefined);

const prepare = async ({ home }: Talaria, text: string): Promise<void> => {
  await mkdir(home, { recursive: true, mode: 0o700 });
  await writeFile(join(home, "config.yaml"), text, { mode: 0o600 });
};

const provider = ({ url }: DemoModel): readonly string[] =>
  `setup --provider mine --api ${url} --protocol responses --key-env MINE_KEY`.split(" ");
const env = { MINE_KEY: secretKey };

describe("setup for scripts", { concurrency: 2 }, () => {
  test("says what it found and what to say when nobody can be asked, and writes nothing", async () => {
    await using scene = await empty();
    const { code, stdout, stderr } = await scene.run(["setup"], { env: { OPENAI_API_KEY: secretKey } });
    assert.deepEqual([code, stderr], [2, ""]);
    assert.match(stdout, /^ {2}codex +0\.166\.0, Not logged in → talaria codex login$/m);
    assert.match(stdout, /^ {2}key +OPENAI_API_KEY, for openai$/m);
    assert.doesNotMatch(stdout, /ANTHROPIC/);
    const claude = await scene.run(["setup"], { env: { ANTHROPIC_API_KEY: secretKey } });
    assert.match(
      claude.stdout,
      /^ {2}key +ANTHROPIC_API_KEY is set, but Talaria does not speak Anthropic's own protocol → /m,
    );
    assert.match(
      claude.stdout,
      /^ {2}talaria setup --provider anthropic --api https:\/\/api\.anthropic\.com\/v1 --protocol chat --key-env ANTHROPIC_API_KEY --model NAME$/m,
    );
    assert.ok(!claude.stdout.includes(secretKey));
    assert.match(stdout, /^ {2}sandbox +commands run in the sandbox of codex/m);
    assert.match(stdout, /Nobody can be asked here, and nothing was written\./);
    assert.match(stdout, /^ {2}talaria setup --provider openai --model NAME$/m);
    assert.ok(!stdout.includes(secretKey));
    assert.deepEqual(await readdir(scene.it.folder), ["work"]);
    const json = await scene.run(["setup", "--json"]);
    assert.equal(json.code, 2);
    assert.partialDeepStrictEqual(json.lines, [
      { type: "found", keys: [], now: { provider: "demo", written: false } },
    ]);
  });

  test("finds a model server on this machine, and asks nobody elsewhere", async () => {
    await using scene = await empty();
    await using near = await model([]);
    await prepare(
      scene.it,
      `providers: { near: { api: "${near.url}" }, far: { api: "http://192.0.2.1/v1" } }\n`,
    );
    const { stdout } = await scene.run(["setup"]);
    assert.match(stdout, new RegExp(`^ {2}server +near at ${near.url}: demo$`, "m"));
    assert.match(stdout, /^ {2}talaria setup --provider near --model demo$/m);
    assert.doesNotMatch(stdout, /far/);
    assert.equal(near.total, 0);
  });

  test("tries one turn, writes what was chosen, and leaves the rest of the file alone", async () => {
    await using scene = await empty();
    await using mine = await model([says("ready")]);
    await prepare(
      scene.it,
      "# my notes\nmodel: # who answers\n  default: old # this one\napprovals:\n  deny: [reboot]\n",
    );
    const TMPDIR = await temporary(scene.it);
    const { code, stdout, stderr } = await scene.run(provider(mine), { env: { ...env, TMPDIR } });
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^A turn with mine, demo worked \(\d+\.\d s\)\.\nWritten to \S+config\.yaml:\n/);
    assert.equal(mine.total, 1);
    assert.equal(
      await config(scene.it),
      `# my notes\nmodel: # who answers\n  default: demo # this one\n  provider: mine\napprovals:\n  deny: [reboot]\nproviders:\n  mine:\n    api: ${mine.url}\n    protocol: responses\n    key_env: MINE_KEY\n`,
    );
    assert.deepEqual(await readdir(scene.it.home), ["config.yaml"]);
    assert.equal((await stat(join(scene.it.home, "config.yaml"))).mode & 0o777, 0o600);
    assert.deepEqual(await leftIn(TMPDIR), []);
  });

  test("writes nothing when the turn fails, says why, and does it anyway when told so", async () => {
    await using scene = await empty();
    await using mine = await model([refusesKeys, refusesKeys]);
    const failed = await scene.run(provider(mine), { env });
    assert.deepEqual([failed.code, failed.stdout], [1, ""]);
    assert.match(failed.stderr, /mine did not accept the key.*401/s);
    assert.match(failed.stderr, /Nothing was written; --no-test writes it anyway\.\n$/);
    assert.ok(!failed.stderr.includes(secretKey));
    assert.equal(await config(scene.it), undefined);
    const json = await scene.run([...provider(mine), "--json"], { env });
    assert.equal(json.code, 1);
    assert.partialDeepStrictEqual(json.lines, [{ type: "tried", ok: false, fault: { code: "auth" } }]);
    const forced = await scene.run([...provider(mine), "--no-test", "--json"], { env });
    assert.equal(forced.code, 0);
    assert.partialDeepStrictEqual(forced.lines, [{ type: "written" }]);
    assert.match((await config(scene.it)) ?? "", /provider: mine/);
  });

  test("refuses what cannot be, before anything is tried", async () => {
    await using scene = await empty();
    const wrong: readonly (readonly [readonly string[], RegExp, number])[] = [
      [["--provider", "nobody"], /There is no provider "nobody"\.[\s\S]*--api URL/, 2],
      [["--model", "x"], /--provider is missing/, 2],
      [["--provider", "openai", "--model", "x"], /needs a key, and OPENAI_API_KEY is not set/, 1],
      [
        ["--provider", "mine", "--api", "ftp://x", "--model", "x"],
        /providers\.mine\.api: expected an http or https address/,
        2,
      ],
      [["--provider", "demo", "--api", "http://x"], /is built in and has no address/, 2],
      [["--provider", "openai-codex", "--runtime", "loop"], /works on the codex runtime only/, 2],
      [["--provider", "ollama", "--runtime", "codex"], /speaks only the chat protocol/, 2],
      [["--provider", "ollama", "--runtime", "fast"], /--runtime fast: not a choice/, 2],
      [["--provider", "mine", "--api", "http://127.0.0.1:1/v1"], /Could not reach mine/, 1],
    ];
    for (const [args, message, code] of wrong) {
      const result = await scene.run(["setup", ...args]);
      assert.equal(result.code, code, `${args.join(" ")}: ${result.stderr}`);
      assert.match(result.stderr, message);
    }
    assert.equal(await config(scene.it), undefined);
    await prepare(scene.it, "model: [\n");
    assert.equal((await scene.run(["setup", "--provider", "demo"])).code, 2);
    assert.equal(await config(scene.it), "model: [\n");
  });

  test("a variable that outranks what was written is named, and not used for the try", async () => {
    await using scene = await empty();
    const { code, stdout } = await scene.run(["setup", "--provider", "demo"], {
      env: { TALARIA_PROVIDER: "openai" },
    });
    assert.equal(code, 0);
    assert.match(stdout, /TALARIA_PROVIDER is set in the environment and outranks what was written\./);
  });
});

describe("setup and codex", { concurrency: 2 }, () => {
  const wanted = ["setup", "--provider", "openai-codex"];

  async function refused(scene: Scene, code: number, message: RegExp, next: RegExp): Promise<void> {
    const result = await scene.run(wanted);
    assert.equal(result.code, code, result.stderr);
    assert.match(result.stderr, message);
    assert.match(result.stderr, next);
    assert.equal(await config(scene.it), undefined);
  }

  test("that is missing: how to install it is said", async () => {
    await using scene = await codexMissing();
    await refused(scene, 2, /codex was not found on the PATH/, /npm install -g @openai\/codex/);
    assert.match(
      (await scene.run(["setup"])).stdout,
      /^ {2}codex +The program codex was not found.*npm install -g @openai\/codex/m,
    );
  });

  test("that is too old: its version and the one that is needed are said", async () => {
    await using scene = await codexTooOld();
    await refused(scene, 2, /codex 0\.100\.0, which is too old: 0\.125\.0 or newer/, /npm install -g/);
    assert.match((await scene.run(["setup"])).stdout, /^ {2}codex .*too old/m);
  });

  test("that has no login: how to log in is said, and no model is asked for a while", async () => {
    await using scene = await codexWith("");
    await refused(scene, 1, /Codex is not logged in/, /talaria codex login/);
  });

  test("whose own settings are broken: their place is said", async () => {
    await using scene = await codexWith("sandbox_mode = = 1\n");
    await refused(
      scene,
      2,
      /Codex cannot read its own settings: .*config\.toml:1:16/,
      /Correct config\.toml in/,
    );
    assert.match(
      (await scene.run(["setup"])).stdout,
      /^ {2}codex .*cannot read its own settings: .*config\.toml:1:16/m,
    );
  });

  test("that works: a turn is tried on it, with the runtime that was named", async () => {
    await using scene = await empty();
    const { code, stdout, stderr } = await scene.run(["setup", "--provider", "demo", "--runtime", "codex"]);
    assert.deepEqual([code, stderr], [0, ""], stdout);
    assert.equal(await config(scene.it), "model:\n  provider: demo\n  openai_runtime: codex_app_server\n");
  });
});

describe("setup on a machine that lacks something", () => {
  test("a full disk is said, and nothing is half written", async (t) => {
    const scene = await fullDisk();
    if (typeof scene === "string") return t.skip(scene);
    await using _ = scene;
    const { code, stderr } = await scene.run(["setup", "--provider", "demo"]);
    assert.equal(code, 1);
    assert.match(stderr, /config\.yaml cannot be written: ENOSPC/);
    assert.match(stderr, /Nothing was changed; check the disk/);
    assert.deepEqual(await readdir(scene.it.home), []);
  });

  test("a missing sandbox is said with what follows from it, and does not keep a model from answering", async (t) => {
    const scene = await noSandbox();
    if (typeof scene === "string") return t.skip(scene);
    await using _ = scene;
    const { stdout } = await scene.run(["setup"]);
    assert.match(
      stdout,
      /^ {2}sandbox +commands of the loop: each asks, there is no sandbox: .*user namespaces/m,
    );
    assert.equal((await scene.run(["setup", "--provider", "demo"])).code, 0);
  });
});

describe("setup on a terminal", { concurrency: 2, skip: noPty }, () => {
  test("asks for another address, tries it, and keeps the key out of sight and in .env", async () => {
    await using scene = await empty();
    await using mine = await model([says("ready")]);
    await using screen = await asking(scene);
    await choose(screen, "Who should answer?", "Another address");
    await type(screen, "Its address", mine.url);
    await type(screen, "A name for it", "mine");
    await choose(screen, "What does it speak?", "responses");
    await type(screen, "Its key", secretKey);
    await choose(screen, "Who should run the turns?", "Talaria's own loop");
    await choose(screen, "Which model?", "demo");
    await choose(screen, "Reach Talaria from a chat app, too?", "Not now");
    assert.deepEqual(await screen.exited, { code: 0 });
    assert.match(screen.all(), /It works: an answer after .* \(“ready”\)/);
    assert.match(screen.all(), /Written to \S+\.env:\s+│ +MINE_API_KEY \(the key\)/);
    assert.ok(!screen.raw().includes(secretKey), "the key is not shown");
    assert.equal(await readFile(join(scene.it.home, ".env"), "utf8"), `MINE_API_KEY=${secretKey}\n`);
    assert.equal((await stat(join(scene.it.home, ".env"))).mode & 0o777, 0o600);
    assert.equal(
      await config(scene.it),
      `providers:\n  mine:\n    api: ${mine.url}\n    protocol: responses\n    key_env: MINE_API_KEY\nmodel:\n  provider: mine\n  default: demo\n`,
    );
    assert.equal(mine.total, 1);
  });

  test("on a narrow terminal no word is torn apart, and what works is chosen already", async () => {
    await using scene = await empty();
    const wide = { columns: 60, rows: 50, env: { ANTHROPIC_API_KEY: "sk-ant-1" } };
    {
      await using screen = await onScreen(scene.it, ["setup"], wide);
      await screen.shows(/● The offline demo, for now/);
      const shown = screen.text();
      assert.match(shown, /^│ {2}no model server answers on this machine|^│ {2}servers {2}no model server/m);
      assert.match(shown, /○ anthropic, where it speaks OpenAI's protocol/);
      assert.match(shown, /ANTHROPIC_API_KEY is set[^]*OpenAI's protocol/);
      for (const row of shown.split("\n")) assert.match(row, /^(?:[│◆┌└◇●○▲]|$)/u, `torn: ${row}`);
      screen.press("ctrl+c");
      await screen.exited;
    }
    await using near = await model([]);
    await prepare(scene.it, `providers: { near: { api: "${near.url}" } }\n`);
    await using screen = await asking(scene);
    await screen.shows(/● near on this machine/);
    screen.press("ctrl+c");
    await screen.exited;
  });

  test("after a failure says why, and lets choose again, or save it all the same", async () => {
    await using scene = await empty();
    await using mine = await model([refusesKeys, refusesKeys]);
    await prepare(
      scene.it,
      `model: { provider: mine, default: a }\nproviders: { mine: { api: "${mine.url}", protocol: chat } }\n`,
    );
    const before = await config(scene.it);
    await using screen = await asking(scene);
    await choose(screen, "Who should answer?", "Keep mine, a");
    await screen.shows("It did not work:");
    await choose(screen, "What now?", "Choose something else");
    await screen.shows(/Who should answer\?[\s\S]*Who should answer\?/, "all");
    await screen.quiet();
    screen.press("enter");
    await screen.shows(/What now\?[\s\S]*What now\?/, "all");
    await choose(screen, "What now?", "Save it anyway");
    await choose(screen, "Reach Talaria from a chat app, too?", "Not now");
    assert.deepEqual(await screen.exited, { code: 0 });
    assert.match(screen.all(), /Nothing had to be changed\./);
    assert.equal(await config(scene.it), before);
  });

  test("offers a chat app: its tokens go to .env and are not shown, and what is next is said", async () => {
    await using scene = await empty();
    await prepare(scene.it, "model: { provider: demo }\n");
    await using screen = await asking(scene);
    await choose(screen, "Who should answer?", "Keep demo");
    await choose(screen, "Reach Talaria from a chat app, too?", "Slack");
    await type(screen, "The bot token", "not-one");
    await screen.shows("That does not look like one.");
    for (let typed = 0; typed < "not-one".length; typed += 1) screen.press("backspace");
    await type(screen, "The bot token", "xoxb-canary-1");
    await type(screen, "The app-level token", "xapp-canary-2");
    assert.deepEqual(await screen.exited, { code: 0 });
    assert.match(screen.all(), /SLACK_BOT_TOKEN \(the token\)[^]*talaria gateway pair CODE --role owner/);
    assert.ok(!screen.raw().includes("canary"), "no token is shown");
    assert.equal(
      await readFile(join(scene.it.home, ".env"), "utf8"),
      "SLACK_BOT_TOKEN=xoxb-canary-1\nSLACK_APP_TOKEN=xapp-canary-2\n",
    );
    assert.match(
      (await config(scene.it)) ?? "",
      /^gateway:\n {2}slack:\n {4}bot_token_env: SLACK_BOT_TOKEN\n {4}app_token_env: SLACK_APP_TOKEN\n$/m,
    );
  });

  test("Ctrl+C at a question, and in the middle of the turn, leaves everything as it was", async () => {
    await using scene = await empty();
    {
      await using screen = await asking(scene);
      await screen.shows("Who should answer?");
      screen.press("ctrl+c");
      assert.deepEqual(await screen.exited, { code: 130 });
      assert.match(screen.all(), /Nothing was written\./);
    }
    await using mine = await model([hangs()]);
    await prepare(scene.it, `providers: { mine: { api: "${mine.url}", protocol: chat, models: [a] } }\n`);
    const before = await config(scene.it);
    const TMPDIR = await temporary(scene.it);
    await using screen = await asking(scene, { TMPDIR });
    await choose(screen, "Who should answer?", "mine on this machine");
    await mine.waitForRequest(1);
    await screen.shows(/Trying one turn with mine… \d+ s/);
    screen.press("ctrl+c");
    assert.deepEqual(await screen.exited, { code: 130 });
    assert.match(screen.all(), /Nothing was written\./);
    assert.equal(await config(scene.it), before);
    assert.deepEqual(await leftIn(TMPDIR), []);
  });
});

/** A folder for temporary files, to see what is left in it. */
async function temporary({ folder }: Talaria): Promise<string> {
  const tmp = join(folder, "tmp");
  await mkdir(tmp);
  return tmp;
}

/** Each by its label, wherever it stands. */
async function choose(screen: Screen, question: string, label: string): Promise<void> {
  // The list is drawn after its question, now and then in a second piece.
  const exact = label.replaceAll(/[.?()]/g, "\\$&");
  const seen = await screen.shows(new RegExp(`${question.replaceAll(/[.?()]/g, "\\$&")}[^]*${exact}`));
  const list = seen.slice(seen.lastIndexOf(question)).split("\n").slice(1);
  const at = list.findIndex((line) => line.includes(label));
  assert.ok(at >= 0, `${label} is offered:\n${seen}`);
  const chosen = Math.max(
    0,
    list.findIndex((line) => line.includes("●")),
  );
  for (let step = chosen; step < at; step++) screen.press("down");
  for (let step = chosen; step > at; step--) screen.press("up");
  await screen.shows(new RegExp(`● ${exact}`));
  screen.press("enter");
}
async function type(screen: Screen, question: string, text: string): Promise<void> {
  await screen.shows(question);
  screen.type(text);
  screen.press("enter");
}

const asking = ({ it }: Scene, own: Readonly<Record<string, string>> = {}): Promise<Screen> =>
  onScreen(it, ["setup"], { columns: 120, rows: 50, env: own });
