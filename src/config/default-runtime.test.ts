import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import * as fc from "../../test/seeded.ts";
import { FaultError } from "../core/faults.ts";
import { type EditMemory, writeDefaultRuntime } from "./default-runtime.ts";
import { setConfigValue } from "./edit.ts";
import { faultOf, tempHome } from "./temp-home.suite.ts";

test("on and off again leaves no trace, whatever the file was like", async (t) => {
  const files: readonly (string | undefined)[] = [
    undefined,
    "",
    "# only words",
    "\uFEFF# settings\r\nmodel:\r\n  default: a # one\r\n\r\nterminal: {}\r\n",
    "model:\n",
    "model: {}\nturn: {budget: 5}",
    "model: {default: a,}\n",
    "model:\n  openai_runtime: auto   # as it was\n  default: a\n",
    "model:\n  openai_runtime: 'auto'\n",
    "model:\n  openai_runtime:\n  default: a\n",
    'turn:\n  budget: 5\n\n\nmodel:\n    default: "x"\n    # openai_runtime: codex_app_server\nterminal:\n  network: true\n',
    "---\nmodel: {provider: demo}\n...\n",
  ];
  for (const config of files) {
    const it = await world(t, config);
    for (const _ of [1, 2]) {
      await it.write("codex");
      assert.equal(await it.runtime(), "codex", config);
      await it.write("loop");
      assert.equal(await it.text(), config);
    }
    assert.equal(it.remembered(), "", "it is forgotten");
  }
});

test("off and on again leaves no trace either", async (t) => {
  const config = 'model:\n  openai_runtime: "codex_app_server" # mine\n';
  const it = await world(t, config);
  await it.write("loop");
  assert.equal(await it.text(), "model:\n  openai_runtime: auto # mine\n");
  await it.write("codex");
  assert.equal(await it.text(), config);
});

test("what holds already is not written", async (t) => {
  const it = await world(t, undefined);
  await it.write("loop");
  assert.equal(await it.text(), undefined);
  const chosen = await world(t, "model: {openai_runtime: codex_app_server}\n");
  await chosen.write("codex");
  assert.equal(chosen.remembered(), undefined);
});

test("what the person has changed since then stays, and the key is still taken back", async (t) => {
  const absent = await world(t, undefined);
  await absent.write("codex");
  await setConfigValue(absent.file, "turn.budget", "5");
  await absent.write("loop");
  assert.equal(await absent.text(), "turn:\n  budget: 5\n", "the section that was made for the key is gone");

  const explicit = await world(t, "model: {openai_runtime: auto}\n");
  await explicit.write("codex");
  await setConfigValue(explicit.file, "model.default", "big");
  await explicit.write("loop");
  assert.equal(await explicit.text(), "model: {openai_runtime: auto, default: big}\n");

  const grown = await world(t, "turn: {budget: 5}\n");
  await grown.write("codex");
  await setConfigValue(grown.file, "model.default", "big");
  await grown.write("loop");
  assert.equal(await grown.text(), "turn: {budget: 5}\nmodel:\n  default: big\n");

  const kept = await world(t, "model: # to be filled\n");
  await kept.write("codex");
  await setConfigValue(kept.file, "turn.budget", "5");
  await kept.write("loop");
  assert.equal(
    await kept.text(),
    "model: # to be filled\nturn:\n  budget: 5\n",
    "their own empty section stays",
  );
});

test("a person's own edit of the key counts", async (t) => {
  const it = await world(t, "model:\n  default: a\n");
  await it.write("codex");
  const own = "model:\n  default: a\n  openai_runtime: codex_app_server # I want this\n";
  await writeFile(it.file, own);
  await it.write("loop");
  assert.equal(await it.text(), own.replace("codex_app_server", "auto"), "written plainly, their line stays");
  await writeFile(it.file, "model:\n  default: a\n");
  await it.write("codex");
  await it.write("loop");
  assert.equal(await it.text(), "model:\n  default: a\n", "what was remembered of before is out of date");
});

test("a file that is broken or cannot be written is a fault, and stays as it is", async (t) => {
  for (const config of ['model: "open\n', "model: gpt\n", "turn: {budget: x}\n"]) {
    const it = await world(t, config);
    assert.equal((await faultOf(it.home, it.write("codex"))).code, "config");
    assert.equal(await it.text(), config);
  }
  const it = await world(t, undefined);
  await symlink("/proc/talaria-nowhere/config.yaml", it.file);
  const fault = await faultOf(it.home, it.write("codex"));
  assert.equal(fault.code, "storage");
  assert.match(fault.message, /config\.yaml cannot be written: /);
  await rm(it.file);
  await it.write("codex");
  assert.equal(await it.runtime(), "codex", "what was remembered of the failed edit is no hindrance");
  await it.write("loop");
  assert.equal(await it.text(), undefined);
});

test("when it cannot be remembered, nothing is written", async (t) => {
  const home = await tempHome(t, { config: "# mine\n" });
  const full = new FaultError({ code: "storage", message: "The disk is full.", next: "Free some." });
  const memory: EditMemory = { load: async () => undefined, save: () => Promise.reject(full) };
  await assert.rejects(writeDefaultRuntime(home.config, "codex", memory), full);
  assert.equal(await readFile(home.config, "utf8"), "# mine\n");
});

test("a file that somebody links to another place keeps its link", async (t) => {
  const it = await world(t, undefined);
  const real = join(it.home.home, "dotfiles.yaml");
  await symlink(real, it.file);
  await it.write("codex");
  await it.write("loop");
  assert.deepEqual([existsSync(real), existsSync(it.file)], [false, false]);
  await writeFile(real, "# back\n");
  assert.equal(await it.text(), "# back\n", "the link is there");
});

test("any number of switches, with edits by the person between them, end where they should", async (t) => {
  const step = fc.constantFrom("codex", "loop", "budget", "model", "unset");
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const it = await world(t, "model:\n  default: a # one\n");
      let budget = 1;
      for (const one of steps) {
        if (one === "codex" || one === "loop") {
          await it.write(one);
          assert.equal(await it.runtime(), one);
        }
        if (one === "budget") await setConfigValue(it.file, "turn.budget", String((budget += 1)));
        if (one === "model") await setConfigValue(it.file, "model.provider", "openai");
        if (one === "unset") await writeFile(it.file, "model:\n  default: a # one\n");
      }
      await it.write("loop");
      assert.doesNotMatch((await it.text()) ?? "", /openai_runtime/);
    }),
    { numRuns: 40 },
  );
});

async function world(t: TestContext, config: string | undefined) {
  const home = await tempHome(t, config === undefined ? {} : { config });
  let kept: string | undefined;
  const memory: EditMemory = {
    load: async () => kept,
    save: async (text) => void (kept = text),
  };
  return {
    home,
    file: home.config,
    write: (runtime: "loop" | "codex") => writeDefaultRuntime(home.config, runtime, memory),
    remembered: () => kept,
    runtime: async () => (await home.load()).config.model.runtime,
    text: () => readFile(home.config, "utf8").catch(() => undefined),
  };
}
