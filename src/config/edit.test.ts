import assert from "node:assert/strict";
import { chmod, lstat, readFile, readdir, rename, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { getConfigValue, setConfigValue, unsetConfigValue } from "./edit.ts";
import { faultOf, tempHome, warningsOf } from "./temp-home.suite.ts";

const text = (file: string) => readFile(file, "utf8");
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test("the first setting makes a private file in a private folder", async (t) => {
  const home = await tempHome(t);
  const file = join(home.home, "new", "config.yaml");
  assert.deepEqual(await setConfigValue(file, "model.provider", "openai"), { changed: true, warnings: [] });
  assert.equal(await text(file), "model:\n  provider: openai\n");
  assert.deepEqual([await modeOf(file), await modeOf(join(home.home, "new"))], ["600", "700"]);
});

test("comments survive, the mode of the file too, and nothing is left behind", async (t) => {
  const home = await tempHome(t, { config: "# mine\nmodel: # why\n  default: a # this\n" });
  await chmod(home.config, 0o640);
  await setConfigValue(home.config, "model.default", "b");
  await setConfigValue(home.config, "model.provider", "openai");
  assert.equal(await text(home.config), "# mine\nmodel: # why\n  default: b # this\n  provider: openai\n");
  assert.equal(await modeOf(home.config), "640");
  assert.deepEqual(await readdir(home.home), ["config.yaml"]);
});

test("what a person types is a value where it looks like one, and text where it does not", async (t) => {
  const home = await tempHome(t);
  const typed: readonly (readonly [string, string, unknown])[] = [
    ["terminal.network", "true", true],
    ["approvals.timeout_s", "60", 60],
    ["approvals.deny", "[rm, 'git push']", ["rm", "git push"]],
    ["providers.mine", "{api: http://x, models: [a]}", { api: "http://x", models: ["a"] }],
    ["model.default", "4", "4"],
    ["model.default", "true", "true"],
    ["model.default", '"quoted"', "quoted"],
    ["model.default", "a: b # c", "a: b # c"],
    ["model.default", "x # y", "x # y"],
    ["model.default", "&x y", "&x y"],
    ["model.default", "*x", "*x"],
    ["model.default", "[open", "[open"],
    ["model.default", "two\nlines", "two\nlines"],
    ["model.default", "- dash", "- dash"],
    ["kanban.level", "3", 3],
  ];
  for (const [key, value, expected] of typed) {
    await setConfigValue(home.config, key, value);
    assert.deepEqual(await getConfigValue(home.config, key), { value: expected, from: "file" }, value);
  }
});

test("a value that the file may not have is refused, and the file is untouched", async (t) => {
  const config = "# mine\nmodel: {provider: openai}\n";
  const home = await tempHome(t, { config });
  const refused: readonly (readonly [string, string, string])[] = [
    ["model.openai_runtime", "fast", 'model.openai_runtime: expected auto or codex_app_server, got "fast"'],
    ["approvals.timeout_s", "soon", "approvals.timeout_s: expected a number of seconds, got text"],
    [
      "providers.mine.protocol",
      "chat",
      "providers.mine: expected `api`, the address of the service, got none",
    ],
    ["model.provider", "nobody", 'or a name defined under providers, got "nobody"'],
    ["model.provider.x", "1", "model.provider.x: cannot be changed"],
  ];
  for (const [key, value, reason] of refused) {
    const fault = await faultOf(home, setConfigValue(home.config, key, value));
    assert.equal(fault.code, "config");
    assert.ok(fault.message.includes(reason), fault.message);
    assert.match(fault.next, /^Nothing was written/);
  }
  assert.equal(await text(home.config), config);
});

test("a problem elsewhere in the file is named with its place", async (t) => {
  const home = await tempHome(t, { config: "turn: {budget: x}\n" });
  const fault = await faultOf(home, setConfigValue(home.config, "model.default", "a"));
  assert.equal(fault.message, "config.yaml:1:16: turn.budget: expected a number of seconds, got text");
  await setConfigValue(home.config, "turn.budget", "5");
  assert.equal(await text(home.config), "turn: {budget: 5}\n", "mending it is possible");
});

test("a file that is no YAML is not touched", async (t) => {
  const config = 'model: "open\n';
  const home = await tempHome(t, { config });
  assert.match(
    (await faultOf(home, setConfigValue(home.config, "turn.budget", "5"))).message,
    /^config\.yaml:1:8: /,
  );
  assert.equal(await text(home.config), config);
});

test("an unknown key is refused with a suggestion, unless it is forced", async (t) => {
  const home = await tempHome(t);
  const fault = await faultOf(home, setConfigValue(home.config, "model.defualt", "a"));
  assert.equal(
    fault.message,
    "config.yaml: model.defualt: is not a known key and has no effect; did you mean model.default?",
  );
  await assert.rejects(stat(home.config), { code: "ENOENT" });
  const forced = await setConfigValue(home.config, "model.defualt", "a", { force: true });
  assert.deepEqual(warningsOf(home, forced), [
    "config.yaml:2:3: model.defualt: is not a known key and has no effect; did you mean model.default?",
  ]);
  assert.equal((await getConfigValue(home.config, "model.defualt")).value, "a");
});

test("setting a key that does nothing yet says so", async (t) => {
  const home = await tempHome(t, { config: "quux: 1\n" });
  const edited = await setConfigValue(home.config, "kanban.level", "3");
  assert.deepEqual(warningsOf(home, edited), ["config.yaml:2:1: kanban: has no effect in this version"]);
});

test("setting what holds already writes nothing", async (t) => {
  const home = await tempHome(t, { config: "model: {default: 'a'}\n" });
  const before = await stat(home.config);
  assert.equal((await setConfigValue(home.config, "model.default", "a")).changed, false);
  assert.equal((await unsetConfigValue(home.config, "turn.budget")).changed, false);
  assert.equal((await stat(home.config)).ino, before.ino);
});

test("a key that is unset falls back to its default, unless something still needs it", async (t) => {
  const home = await tempHome(t, {
    config: "model: {provider: mine}\nproviders:\n  mine: {api: http://x} # here\n",
  });
  const fault = await faultOf(home, unsetConfigValue(home.config, "providers.mine"));
  assert.match(fault.message, /^config\.yaml: model\.provider: expected one of/);
  await unsetConfigValue(home.config, "model.provider");
  assert.deepEqual(await getConfigValue(home.config, "model.provider"), { value: "demo", from: "default" });
  assert.equal((await unsetConfigValue(home.config, "providers.mine")).changed, true);
  assert.equal(await text(home.config), "model: {}\nproviders:\n");
  assert.deepEqual((await home.load()).warnings, []);
});

test("reading a key tells where its value comes from, and shows no secret", async (t) => {
  const home = await tempHome(t, { config: "providers: {openai: {headers: {X-Key: '${SECRET}'}}}\n" });
  const env = { TALARIA_MODEL: "gpt-5", SECRET: "hidden-value" };
  assert.deepEqual(await getConfigValue(home.config, "model.default", env), {
    value: "gpt-5",
    from: "environment",
  });
  assert.deepEqual(await getConfigValue(home.config, "model.default"), { from: "default" });
  assert.deepEqual(await getConfigValue(home.config, "providers.openai.headers.X-Key", env), {
    value: "${SECRET}",
    from: "file",
  });
  assert.deepEqual(await getConfigValue(home.config, "approvals.timeout_s"), { value: 300, from: "default" });
  assert.equal((await faultOf(home, getConfigValue(home.config, "modle"))).code, "config");
  assert.match((await faultOf(home, getConfigValue(home.config, "a..b"))).message, /expected a key such as/);
});

test("a link to a file kept elsewhere stays a link", async (t) => {
  const home = await tempHome(t, { config: "model: {default: a}\n" });
  const real = join(home.home, "dotfiles.yaml");
  await rename(home.config, real);
  await symlink(real, home.config);
  await setConfigValue(home.config, "model.default", "b");
  assert.ok((await lstat(home.config)).isSymbolicLink());
  assert.equal(await text(real), "model: {default: b}\n");
});

test("edits at the same moment all arrive", async (t) => {
  const home = await tempHome(t, { config: "# mine\n" });
  const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
  await Promise.all(names.map((name) => setConfigValue(home.config, `providers.${name}.api`, "http://x")));
  const { value } = await getConfigValue(home.config, "providers");
  assert.deepEqual(Object.keys(value as object).toSorted(), names.toSorted());
});

test("a path that leads through a file is a fault, not a new folder", async (t) => {
  const home = await tempHome(t);
  const inTheWay = join(home.home, "file");
  await writeFile(inTheWay, "");
  const fault = await faultOf(home, setConfigValue(join(inTheWay, "config.yaml"), "model.default", "a"));
  assert.equal(
    fault.message,
    "file/config.yaml: expected a text file, got: a path through something that is not a folder",
  );
});
