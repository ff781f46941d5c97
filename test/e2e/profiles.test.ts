import assert from "node:assert/strict";
import { access, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { talaria } from "./talaria.ts";

describe("profiles", { concurrency: 2 }, () => {
  test("a profile that does not exist is refused, and asking for it makes nothing", async () => {
    await using it = await talaria();
    const { code, stdout, stderr } = await it.run(["-p", "work", "run", "hello"]);
    assert.equal(code, 2);
    assert.equal(stdout, "");
    assert.match(stderr, /there is no profile "work"/);
    assert.match(stderr, /talaria profile create work/);
    await assert.rejects(access(it.home));
  });

  test("a profile has its own sessions", async () => {
    await using it = await talaria();
    const made = await it.run(["profile", "create", "work"]);
    assert.equal(made.code, 0, made.stderr);
    assert.ok(made.stdout.includes(join(it.home, "profiles", "work")));
    assert.equal((await it.run(["profile", "list"])).stdout, "default\nwork\n");

    const inWork = await it.run(["-p", "work", "run", "--json", "my name is Ada"]);
    assert.equal(inWork.code, 0, inWork.stderr);
    const session = inWork.lines[0]?.session;
    const [here, there, elsewhere] = await Promise.all([
      it.run(["sessions", "list", "--json"]),
      it.run(["sessions", "list", "--json", "-p", "work"]),
      it.run(["run", "--continue", "hello"]),
    ]);
    assert.deepEqual(here.lines, []);
    assert.deepEqual(
      there.lines.map(({ id }) => id),
      [session],
    );
    assert.equal(elsewhere.code, 2, "the default profile has no session to continue");
    const goesOn = await it.run(["run", "--continue", "what is my name?"], {
      env: { TALARIA_PROFILE: "work" },
    });
    assert.match(goesOn.stdout, /Your name is Ada/);
  });

  test("a profile's commands run, although its home lies in one that is hidden, too", async () => {
    await using it = await talaria();
    assert.equal((await it.run(["profile", "create", "work"])).code, 0);
    for (const runtime of ["loop", "codex"]) {
      const said = await it.run(["-p", "work", "run", "--runtime", runtime, `run echo in > ${runtime}.txt`]);
      assert.equal(await readFile(join(it.cwd, `${runtime}.txt`), "utf8").catch(String), "in\n", said.stdout);
    }
  });

  test("a profile is made only once, and only under a name that is a safe folder", async () => {
    await using it = await talaria();
    await it.run(["profile", "create", "work"]);
    const names = ["work", "default", "../elsewhere", "Work"];
    const refused = await Promise.all(names.map((name) => it.run(["profile", "create", name])));
    for (const [at, { code, stderr }] of refused.entries()) {
      assert.equal(code, 2, names[at]);
      assert.match(stderr, /^talaria: profile: /);
    }
  });

  test("a profile with a CODEX_HOME of its own logs in there, and nowhere else", async () => {
    await using it = await talaria();
    const own = join(it.folder, "codex-work");
    await mkdir(own);
    assert.equal((await it.run(["profile", "create", "work"])).code, 0);
    assert.equal((await it.run(["-p", "work", "config", "set", "codex.home", own])).code, 0);
    const login = await it.run(["-p", "work", "codex", "login", "--with-api-key"], {
      input: "sk-test-0000\n",
    });
    assert.equal(login.code, 0, login.stderr);
    await access(join(own, "auth.json"));
    await assert.rejects(access(join(it.folder, ".codex", "auth.json")));
    assert.match((await it.run(["-p", "work", "codex", "login", "status"])).stderr, /API key/);
    assert.match((await it.run(["codex", "login", "status"])).stderr, /Not logged in/);
  });
});
