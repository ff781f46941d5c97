import assert from "node:assert/strict";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TestContext, describe, test } from "node:test";
import { pinnedCodex } from "../../../test/codex-schema/pinned-codex.ts";
import { tempHome } from "../../config/temp-home.suite.ts";
import type { Fault } from "../../core/faults.ts";
import type { Readiness } from "../../core/host.ts";
import { systemClock } from "../../lib/clock.ts";
import { readiness } from "./readiness.ts";
import { routes } from "./routes.ts";

describe("codex is ready", () => {
  test("where the real one is, and its version and place are told", async (t) => {
    const it = await world(t);
    const detail = `codex 0.166.0, ${pinnedCodex()}`;
    assert.deepEqual(await it.ask("codex"), { ok: true, detail, version: "0.166.0" });
  });

  test("with something to know when it is newer than what was tried, or no model is chosen", async (t) => {
    const config = "model: {provider: mine}\nproviders: {mine: {api: http://x, protocol: responses}}\n";
    const it = await world(t, config);
    const path = await it.program("echo codex-cli 9.1.0");
    const { detail, warning } = (await it.ask("codex", path)) as Readiness & { ok: true };
    assert.equal(detail, `codex 9.1.0, ${path}`);
    assert.match(warning ?? "", /9\.1\.0 is newer than .* No model is chosen for the provider mine\./);
  });

  test("not when it is missing, too old or may not be run: then how to get it is told", async (t) => {
    const it = await world(t);
    const old = await it.program("echo codex-cli 0.124.0");
    const tooOld = await it.fault("codex", old);
    assert.equal(tooOld.code, "config");
    assert.match(tooOld.message, /codex 0\.124\.0, which is too old: 0\.125\.0 or newer/);
    assert.match(tooOld.next, /npm install -g @openai\/codex/);
    await chmod(old, 0o644);
    const missing = await world(t, `model: {codex_bin: ${old}}\n`);
    assert.match((await missing.fault("codex")).message, /may not be run/);
    const nowhere = await world(t, "model: {codex_bin: codex}\n");
    assert.match((await nowhere.fault("codex")).message, /no program of that name is on the PATH/);
  });

  test("asked for its version once in each call, so that a new one is noticed", async (t) => {
    const it = await world(t);
    const asked = join(it.home.home, "asked");
    const path = await it.program(`echo x >> ${asked}; echo codex-cli 0.150.0`);
    for (const times of [1, 2]) {
      await it.ask("codex", path);
      assert.equal(await readFile(asked, "utf8"), "x\n".repeat(times));
    }
  });

  test("not for a provider that speaks only chat or has no key, whatever is installed", async (t) => {
    const chat = await world(t, "model: {provider: ollama, default: a}\n");
    assert.match((await chat.fault("codex")).message, /speaks only the chat protocol/);
    const keyed = await world(
      t,
      "model: {provider: mine, default: a}\nproviders: {mine: {api: http://x, protocol: responses, key_env: MINE}}\n",
    );
    assert.equal((await keyed.fault("codex")).code, "auth");
  });

  test("with codex's own login, which needs neither key nor model", async (t) => {
    for (const provider of ["openai", "openai-codex"]) {
      const it = await world(t, `model: {provider: ${provider}}\n`);
      assert.equal((await it.ask("codex")).ok, true, provider);
    }
  });
});

describe("the loop is ready", () => {
  test("with the demo and with a route, and what is still missing is told", async (t) => {
    assert.deepEqual(await (await world(t)).ask("loop"), {
      ok: true,
      detail: "Talaria's own loop, demo (responses)",
    });
    const it = await world(t, "model: {provider: ollama}\n");
    assert.partialDeepStrictEqual(await it.ask("loop"), {
      ok: true,
      warning:
        "No model is chosen for the provider ollama. Choose one: talaria config set model.default NAME, or --model NAME for one session.",
    });
  });

  test("not for a provider that only codex can reach, and not without its key", async (t) => {
    const codex = await world(t, "model: {provider: openai-codex}\n");
    assert.match((await codex.fault("loop")).message, /works on the codex runtime only/);
    const keyless = await world(t, "model: {provider: openai, default: a}\n");
    assert.equal((await keyless.fault("loop")).code, "auth");
  });
});

test("a runtime that there is not is named beside those that there are", async (t) => {
  const it = await world(t);
  assert.deepEqual(await it.fault("fast"), {
    code: "config",
    message: 'There is no runtime "fast".',
    next: "Choose one of: loop, codex.",
  });
});

async function world(t: TestContext, config?: string) {
  const home = await tempHome(t, config === undefined ? {} : { config });
  const loaded = await home.load();
  const known = routes(loaded, systemClock);
  t.after(() => known[Symbol.asyncDispose]());
  const ask = (runtime: string, program?: string): Promise<Readiness> => {
    const env = { PATH: program === undefined ? "/nowhere" : `${dirname(program)}:/usr/bin:/bin` };
    const runtimes = ["loop", "codex"];
    return readiness({ loaded, routes: known, env, clock: systemClock, runtimes }, runtime);
  };
  return {
    home,
    ask,
    async fault(runtime: string, program?: string): Promise<Fault> {
      const answer = await ask(runtime, program);
      return answer.ok ? assert.fail(`ready: ${answer.detail}`) : answer.fault;
    },
    async program(script: string): Promise<string> {
      const path = join(home.home, "bin", "codex");
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      return path;
    },
  };
}
