import assert from "node:assert/strict";
import { appendFile, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { type IncomingMessage, createServer } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { onLoopback } from "../loopback.ts";
import { says, talariaOn } from "./endpoint.ts";
import type { Talaria } from "./talaria.ts";

const remembers = (content: string): readonly object[] => [
  { reply: [{ call: { tool: "memory", args: { action: "add", target: "user", content } } }] },
  says("Noted."),
];

const userFile = (it: Talaria): Promise<string | undefined> =>
  readFile(join(it.home, "memories/USER.md"), "utf8").catch(() => undefined);

/** Tables of the store and files of the home that have it, the index of conversations left out. */
async function holders(it: Talaria, what: RegExp): Promise<readonly string[]> {
  const db = new DatabaseSync(join(it.home, "talaria.db"));
  const tables = db.prepare("select name from sqlite_schema where type = 'table'").all();
  const found = tables
    .map(({ name }) => String(name))
    .filter((name) => !name.startsWith("message_"))
    .filter((name) => what.test(JSON.stringify(db.prepare(`select * from "${name}"`).all())));
  db.close();
  const files = await readdir(it.home, { recursive: true, withFileTypes: true });
  for (const file of files.filter((entry) => entry.isFile() && !entry.name.startsWith("talaria.db")))
    if (what.test(await readFile(join(file.parentPath, file.name), "utf8"))) found.push(file.name);
  return found.toSorted();
}

const said = "I always indent with tabs in my own code.";

describe("talaria learned", { concurrency: 2 }, () => {
  test("shows what a turn learned, where it comes from and what it changed, and takes it back to the byte", async () => {
    await using it = await talariaOn([...remembers("Indents with tabs in own code."), says("Hello.")]);
    await mkdir(join(it.home, "memories"), { recursive: true });
    await writeFile(join(it.home, "memories/USER.md"), "By hand.  \r\n");
    const before = await userFile(it);
    const { lines } = await it.run(["run", "--json", said]);
    assert.match((await userFile(it)) ?? "", /Indents with tabs/);

    const [row] = (await it.run(["learned", "--json"])).lines;
    assert.partialDeepStrictEqual(row, {
      by: "agent",
      state: "active",
      trusted: true,
      session: lines[0]?.session,
    });
    const shown = await it.run(["learned", "show", String(row?.id)]);
    assert.match(shown.stdout, /^said {5}I always indent with tabs/m);
    assert.match(shown.stdout, /^\+Indents with tabs in own code\./m);

    await it.run(["run", "what do you know?"]);
    const plot = await it.run(["learned", "--plot", "--since", "3d"], { env: { LANG: "C" } });
    // oxlint-disable-next-line no-control-regex
    assert.match(plot.stdout, /^[\x20-\x7e\n]+$/);
    assert.match(plot.stdout, /memory {2}Indents with tabs in own code\.\n$/);

    const back = await it.run(["learned", "revert", String(row?.id).slice(0, -2)]);
    assert.equal(back.code, 0, back.stderr);
    assert.equal(await userFile(it), before);
    const twice = await it.run(["learned", "revert", String(row?.id)]);
    assert.deepEqual([twice.code, await userFile(it)], [2, before]);
    assert.match(twice.stderr, /was taken back already, by rev_/);
    assert.equal((await it.run(["learned", "revert", "rev_nobody"])).code, 2);
    assert.equal((await it.run(["learned", "--since", "soon"])).code, 2);
    const lost = await it.run(["learned", String(row?.id)]);
    assert.equal(lost.code, 2);
    assert.match(lost.stderr, /has no command "rev_.*\n.*talaria learned show ID/);
  });

  test("what the person has not said waits until it is approved or rejected", async () => {
    await using it = await talariaOn([
      ...remembers("Wants every command approved automatically."),
      ...remembers("Owns a yacht in Monaco."),
    ]);
    await it.run(["run", "read that page for me"]);
    await it.run(["run", "and that one"]);
    assert.equal(await userFile(it), undefined);
    const rows = (await it.run(["learned", "--json"])).lines;
    assert.deepEqual(
      rows.map(({ state }) => state),
      ["proposed", "proposed"],
    );
    const list = await it.run(["learned"]);
    assert.match(list.stdout, /^Waits for you:\n/);
    const yacht = rows.find(({ summary }) => /yacht/.test(String(summary)));
    const other = rows.find(({ id }) => id !== yacht?.id);
    await it.run(["learned", "approve", String(yacht?.id)]);
    await it.run(["learned", "reject", String(other?.id)]);
    assert.equal(await userFile(it), "Owns a yacht in Monaco.\n");
    assert.doesNotMatch((await it.run(["learned"])).stdout, /Waits for you/);
  });

  test("forget shows what would go, can be taken back, and with --now leaves no trace but in the conversation, which it names", async () => {
    await using it = await talariaOn([...remembers("Lives in Zanzibar."), says("Hm.")]);
    const { lines } = await it.run(["run", "--json", "I live in Zanzibar, remember that"]);
    const asked = await it.run(["learned", "forget", "zanzibar"]);
    assert.equal(asked.code, 2);
    assert.match(asked.stdout, /^This would go:\n {2}memories\/USER\.md\n {4}- Lives in Zanzibar\.\n/);
    assert.match(asked.stdout, /Nothing was changed\. talaria learned forget --yes zanzibar forgets it\.$/m);
    assert.equal(await userFile(it), "Lives in Zanzibar.\n");
    assert.equal((await it.run(["learned", "forget", "--yes", "zanzibar"])).code, 0);
    assert.doesNotMatch((await userFile(it)) ?? "", /Zanzibar/);
    const back = await it.run(["learned", "unforget"]);
    assert.match(back.stdout, /^Taken back: what has "zanzibar" is in 1 file again\./);
    assert.equal(await userFile(it), "Lives in Zanzibar.\n");

    const { stdout, code } = await it.run(["learned", "forget", "--yes", "--now", "zanzibar"]);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^Forgotten: it is gone from 1 file and from \d+ revisions?\.\n {2}memories\/USER\.md$/m,
    );
    assert.match(stdout, new RegExp(`talaria sessions delete ${lines[0]?.session} --yes`));
    assert.deepEqual(await holders(it, /zanzibar/i), ["inbox", "item", "message"]);
    assert.match(
      (await it.run(["learned", "forget", "zanzibar"])).stdout,
      /^Nothing that was learned contains it\./,
    );
  });
});

test("talaria skills lists, pins and shows skills, and never puts away what a person made", async () => {
  await using it = await talariaOn([says("One.")]);
  await mkdir(join(it.home, "skills/deploy"), { recursive: true });
  await writeFile(
    join(it.home, "skills/deploy/SKILL.md"),
    "---\nname: deploy\ndescription: Ship it.\n---\nPush \u001b[31mhard.\n",
  );
  const [skill] = (await it.run(["skills", "--json"])).lines;
  assert.partialDeepStrictEqual(skill, {
    name: "deploy",
    source: "home",
    by: "person",
    state: "active",
    uses: 0,
  });
  assert.match(
    (await it.run(["skills", "show", "deploy"])).stdout,
    /^deploy: active, from home[^]*Push \uFFFD\[31mhard\./,
  );
  assert.equal((await it.run(["skills", "pin", "nobody"])).code, 2);
  await mkdir(join(it.home, "skills/torn"));
  await writeFile(join(it.home, "skills/torn/SKILL.md"), "Just words.\n");
  await appendFile(join(it.home, "config.yaml"), "skills: { external_dirs: [nowhere] }\n");
  const { stdout } = await it.run(["skills"]);
  assert.match(stdout, /^Not used:\n {2}.*\/torn\/SKILL\.md: it does not begin with front matter/m);
  assert.match(stdout, /^ {2}.*\/nowhere: there is no such folder, and skills\.external_dirs names it$/m);
  assert.match(
    (await it.run(["skills", "show", "torn"])).stdout,
    /^torn: broken.*\n.*\n\n\(It cannot be used/,
  );
  await it.run(["skills", "pin", "deploy"]);
  assert.match(
    (await it.run(["skills"])).stdout,
    /^deploy +home +person +active, pinned +never used +Ship it\.$/m,
  );
  assert.match(
    (await it.run(["skills", "curate", "--dry-run"])).stdout,
    /^0 learned skills in use; 1 skill of yours/,
  );
  assert.match((await it.run(["skills", "rollback"])).stdout, /no curator run/);
});

test("a memory service is asked before a turn and told after it, and a turn goes on without it", async () => {
  const heard: { path: string; body: Record<string, unknown> }[] = [];
  const server = createServer((request, response) => {
    void answer(request);
    async function answer(asked: IncomingMessage): Promise<void> {
      let text = "";
      for await (const chunk of asked) text += String(chunk);
      heard.push({ path: asked.url ?? "", body: JSON.parse(text) as Record<string, unknown> });
      response.end('{"text":"The person has a parrot."}');
    }
  });
  const bound = await onLoopback(server);
  await using it = await talariaOn([says("It talks."), says("Fine.")]);
  await appendFile(join(it.home, "config.yaml"), `memory: { provider: { url: "${bound.origin}" } }\n`);
  assert.equal((await it.run(["run", "what about my pet?"])).code, 0);
  await bound[Symbol.asyncDispose]();
  assert.deepEqual(
    heard.map(({ path }) => path),
    ["/prefetch", "/sync"],
  );
  assert.partialDeepStrictEqual(heard[0]?.body, { query: "what about my pet?", cwd: it.cwd });
  assert.partialDeepStrictEqual(heard[1]?.body, { user: "what about my pet?", assistant: "It talks." });
  const request = JSON.stringify(it.model.requests[0]?.body);
  assert.match(request, /begin of outside text [0-9a-f]{16} -----\\nThe person has a parrot\./);

  const without = await it.run(["run", "--json", "and now?"]);
  assert.equal(without.code, 0);
  const notices = without.lines.filter(({ type, code }) => type === "notice" && code === "memory");
  assert.equal(notices.length, 1);
  assert.match(String(notices[0]?.text), /does not work: it cannot be reached \(ECONNREFUSED\)/);
});
