import assert from "node:assert/strict";
import { chmod, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { tempFolder } from "../../test/temp-folder.ts";
import { tieFiles } from "./bound-files.ts";
import type { Tie } from "./tie.ts";

/** A person's home with one folder of their own programs, and a folder to work in. */
async function world() {
  const fixture = await tempFolder();
  const at = (name: string): string => join(fixture.path, name);
  for (const name of ["home", "tools", "work", "temporary"]) await mkdir(at(name));
  const put = async (name: string, text: string): Promise<void> => {
    await writeFile(at(name), text);
    await chmod(at(name), 0o755);
  };
  await put("tools/touch", "#!/bin/sh\n");
  const tie = (
    command: string,
    { path = at("tools"), home = at("home"), fence = "none" as "none" | "sandbox" } = {},
  ): Promise<Tie | undefined> =>
    tieFiles({ path, home, temporary: [at("temporary")] })(
      { action: { kind: "command", command, fence }, cwd: at("work") },
      at("work"),
    );
  return { at, put, tie, [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose]() };
}

test("a command that leaves the sandbox is tied to every program that its words may mean", async () => {
  await using it = await world();
  const first = await it.tie("touch /far/x");
  assert.ok(first !== undefined && "bound" in first);
  assert.ok(Object.keys(first.bound).includes(it.at("tools/touch")));
  assert.deepEqual(await it.tie("touch /far/x"), first, "and it is the same every time");
  await it.put("tools/touch", "#!/bin/sh\nrm -rf ~\n");
  assert.notDeepEqual(await it.tie("touch /far/x"), first, "another content");
  await it.put("tools/touch", "#!/bin/sh\n");
  assert.deepEqual(await it.tie("touch /far/x"), first);
  await rename(it.at("tools/touch"), it.at("tools/real"));
  await symlink(it.at("tools/real"), it.at("tools/touch"));
  assert.notDeepEqual(await it.tie("touch /far/x"), first, "a link in its place");
  await rm(it.at("tools/touch"));
  await rename(it.at("tools/real"), it.at("tools/touch"));
  await mkdir(it.at("home/.local/bin"), { recursive: true });
  await it.put("home/.local/bin/touch", "#!/bin/sh\n");
  assert.notDeepEqual(await it.tie("touch /far/x"), first, "one more of that name");
});

test("a login shell is tied to the files that it reads first", async () => {
  await using it = await world();
  const login = "/bin/bash -lc 'touch /far/x'";
  const first = await it.tie(login);
  await it.put("home/.bashrc", "alias touch=rm\n");
  assert.notDeepEqual(await it.tie(login), first);
  assert.deepEqual(await it.tie(login, { home: it.at("work") }), {
    open: `${it.at("work")}, from where it runs files, can be written without a question`,
  });
});

test("a login shell whose start-up files lead into the folder is tied to nothing", async () => {
  await using it = await world();
  const login = "/bin/bash -lc 'touch /far/x'";
  for (const line of [
    `PATH="${it.at("work")}/bin:$PATH"`,
    'export PATH="$PATH:$HOME/../work/bin"',
    "PATH=$PATH:./node_modules/.bin",
    "PATH=:$PATH",
    '. "${HOME}/link/env.sh"',
  ]) {
    await rm(it.at("home/link"), { force: true });
    await symlink(it.at("work"), it.at("home/link"));
    await it.put("work/env.sh", "");
    await mkdir(it.at("work/bin"), { recursive: true });
    await it.put("home/.profile", `${line}\n`);
    const tie = await it.tie(login);
    assert.ok(tie !== undefined && "open" in tie, line);
  }
  for (const line of [
    'PATH="$HOME/.cargo/bin:$PATH"',
    "export PATH=/opt/tools:$PATH",
    ". ~/.cargo/env",
    'PATH="$GOPATH/bin:${PATH}"; export PATH',
    "case :${PATH}: in *:/opt/x:*) ;; esac",
  ]) {
    await it.put("home/.profile", `${line}\n`);
    const tie = await it.tie(login);
    assert.ok(tie !== undefined && "bound" in tie, `${line} ${JSON.stringify(tie)}`);
  }
});

test("nothing is tied that a turn can write without a question", async () => {
  await using it = await world();
  for (const path of ["work", "work/bin", "temporary"]) {
    const tie = await it.tie("touch /far/x", { path: `${it.at(path)}:/usr/bin` });
    assert.ok(tie !== undefined && "open" in tie, path);
  }
  assert.deepEqual(await it.tie("touch /far/x", { path: "/usr/bin:." }), {
    open: "PATH names a folder that depends on where it is run",
  });
  await rename(it.at("tools/touch"), it.at("work/touch"));
  await symlink(it.at("work/touch"), it.at("tools/touch"));
  const linked = await it.tie("touch /far/x");
  assert.ok(linked !== undefined && "open" in linked, "nor through a link");
});

test("nor is what it works on, and elsewhere a link in its way is noticed", async () => {
  await using it = await world();
  for (const command of [
    "cat notes",
    "rm -f build/x",
    "cd build && rm -f x",
    "echo x > notes",
    `cat ${it.at("temporary/x")}`,
  ]) {
    const tie = await it.tie(command);
    assert.ok(tie !== undefined && "open" in tie, command);
  }
  const here = await it.tie("rm -f notes");
  assert.ok(here !== undefined && "bound" in here, "the folder itself is part of the name of the action");
  await mkdir(it.at("far"));
  const first = await it.tie(`touch ${it.at("far/x")}`);
  assert.ok(first !== undefined && "bound" in first);
  await rename(it.at("far"), it.at("further"));
  await symlink(it.at("home"), it.at("far"));
  assert.notDeepEqual(await it.tie(`touch ${it.at("far/x")}`), first);
  await rm(it.at("far"));
  await symlink(it.at("work"), it.at("far"));
  const linked = await it.tie(`touch ${it.at("far/x")}`);
  assert.ok(linked !== undefined && "open" in linked);
});

test("what stays in the sandbox, and what is no command, needs no tie", async () => {
  await using it = await world();
  assert.equal(await it.tie("npm run x", { fence: "sandbox" }), undefined);
  const tie = tieFiles({ path: "/usr/bin", home: "/home/me", temporary: [] });
  assert.equal(await tie({ action: { kind: "tool" }, cwd: "/work" }, "/work"), undefined);
});
