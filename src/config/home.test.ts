import assert from "node:assert/strict";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createProfile, listProfiles, loadConfig, prepareHome } from "./config.ts";
import { faultOf, tempHome } from "./temp-home.suite.ts";

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

const homeOf = async (said: string | undefined) => {
  const env = said === undefined ? {} : { TALARIA_HOME: said };
  return (await loadConfig({ env, flags: {}, homeDir: "/nowhere/ada" })).config.home;
};

test("the home is TALARIA_HOME, else .talaria in the person's folder", async () => {
  assert.equal(await homeOf(undefined), "/nowhere/ada/.talaria");
  assert.equal(await homeOf(""), "/nowhere/ada/.talaria");
  assert.equal(await homeOf("/nowhere/else/"), "/nowhere/else");
  assert.equal(await homeOf("~/t"), "/nowhere/ada/t");
});

test("a relative TALARIA_HOME is refused: it would be another home in every folder", async (t) => {
  const home = await tempHome(t);
  const fault = await faultOf(home, homeOf("t"));
  assert.equal(fault.code, "config");
  assert.match(fault.message, /TALARIA_HOME: expected an absolute path, got "t"/);
});

test("paths lie in the home", async (t) => {
  const home = await tempHome(t);
  const { paths } = (await home.load()).config;
  const short = Object.entries(paths).map(([name, path]) => [
    name,
    home.plain(`${path}/`).replace(/\/$/, ""),
  ]);
  assert.deepEqual(Object.fromEntries(short), {
    root: "",
    config: "config.yaml",
    env: ".env",
    db: "talaria.db",
    hosts: "host-ids",
    logs: "logs",
    recordings: "recordings",
    media: "media",
    run: "run",
    memories: "memories",
    skills: "skills",
    soul: "SOUL.md",
    // Beside it: what a model runs sees nothing of the home.
    workspaces: `${home.home}-work/default`,
  });
});

test("the home is made private when it is prepared, and not when it is read", async (t) => {
  const { home } = await tempHome(t);
  const env = { TALARIA_HOME: join(home, "new", "home") };
  const { config } = await loadConfig({ env, flags: {}, homeDir: home });
  await assert.rejects(stat(config.home), { code: "ENOENT" });
  await prepareHome(config);
  await prepareHome(config);
  assert.equal(await modeOf(config.home), "700");
});

test("a home that cannot be made is a storage fault with a way out", async (t) => {
  const home = await tempHome(t, { config: "" });
  const fault = await faultOf(home, prepareHome({ home: join(home.config, "inside") }));
  assert.equal(fault.code, "storage");
  assert.match(fault.message, /^config\.yaml\/inside cannot be created: ENOTDIR/);
  assert.match(fault.next, /TALARIA_HOME/);
});

test("a profile is a home of its own, chosen by flag, else by variable", async (t) => {
  const home = await tempHome(t, { config: "model: {provider: openai}\n" });
  const sources = { env: { TALARIA_HOME: home.home }, homeDir: home.home };
  const work = await createProfile(sources, "work");
  await createProfile(sources, "play");
  assert.equal(await modeOf(work), "700");
  await writeFile(join(work, "config.yaml"), "model: {provider: openrouter}\n");
  const loaded = async (profile: string | undefined, variable?: string) => {
    const env = variable === undefined ? {} : { TALARIA_PROFILE: variable };
    const { config } = await home.load({ env, flags: profile === undefined ? {} : { profile } });
    return [config.profile, config.model.provider, home.plain(config.paths.db), config.paths.root];
  };
  assert.deepEqual(await loaded("work"), ["work", "openrouter", "profiles/work/talaria.db", home.home]);
  assert.deepEqual(await loaded("play", "work"), ["play", "demo", "profiles/play/talaria.db", home.home]);
  assert.deepEqual(await loaded(undefined, "work"), await loaded("work"));
  assert.deepEqual(await loaded("default", "work"), ["default", "openai", "talaria.db", home.home]);
  assert.deepEqual(await loaded(undefined), await loaded("default"));
});

test("an unknown profile is a fault that names the others and how to make it", async (t) => {
  const home = await tempHome(t);
  const sources = { env: { TALARIA_HOME: home.home }, homeDir: home.home };
  const none = await faultOf(home, home.load({ flags: { profile: "work" } }));
  assert.equal(none.message, '--profile: there is no profile "work"; existing: default');
  await createProfile(sources, "b");
  await createProfile(sources, "a");
  await mkdir(join(home.home, "profiles", "Not A Profile"));
  await writeFile(join(home.home, "profiles", "file"), "");
  assert.deepEqual(await listProfiles(sources), ["default", "a", "b"]);
  const fault = await faultOf(home, home.load({ env: { TALARIA_PROFILE: "work" } }));
  assert.equal(fault.message, 'TALARIA_PROFILE: there is no profile "work"; existing: default, a, b');
  assert.equal(fault.next, "Choose one of those, or create it with `talaria profile create work`.");
  assert.equal(fault.code, "config");
});

test("a profile name cannot leave its folder", async (t) => {
  const home = await tempHome(t);
  const sources = { env: { TALARIA_HOME: home.home }, homeDir: home.home };
  for (const name of ["", "..", "a/b", "Work", "-a", "a".repeat(65), "a b"]) {
    const fault = await faultOf(home, home.load({ flags: { profile: name } }));
    assert.match(fault.message, /^--profile: expected a profile name of a-z/, name);
    assert.equal((await faultOf(home, createProfile(sources, name))).code, "config");
  }
});

test("a profile is not made twice", async (t) => {
  const home = await tempHome(t);
  const sources = { env: { TALARIA_HOME: home.home }, homeDir: home.home };
  await createProfile(sources, "work");
  assert.equal(
    (await faultOf(home, createProfile(sources, "work"))).message,
    'profile: "work" exists already',
  );
  assert.equal((await faultOf(home, createProfile(sources, "default"))).code, "config");
});
