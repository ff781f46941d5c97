import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, describe, test } from "node:test";
import { testFolder } from "../../../test/temp-folder.ts";
import { png } from "../../../test/fakes/media-service-pictures.ts";
import type { Decision, Question } from "../../core/asking.ts";
import type { NewOutbox, StoredOutbox } from "../../core/gateway/tables.ts";
import { asId } from "../../core/ids.ts";
import type { Audience, Principal } from "../../core/principal.ts";
import { systemClock } from "../../lib/clock.ts";
import { toolBox } from "../registry.ts";
import type { Tool, ToolResult, TurnContext } from "../tool.ts";
import { type ChatTarget, sendFileTool } from "./send-file.ts";

const owner: Principal = { surface: "telegram", id: "1", role: "owner", local: false };
const own: ChatTarget = {
  surface: "telegram",
  account: "bot",
  chat: "7",
  replyTo: "99",
  isOwn: true,
  name: "the chat with you on Telegram",
};
const group: ChatTarget = { ...own, chat: "-5", isOwn: false, name: "the group “Herons” on Telegram" };

type Wish = {
  readonly target?: ChatTarget;
  readonly from?: Principal;
  readonly audience?: Audience;
  /** There is no chat. */
  readonly isGone?: boolean;
  /** The working folder is the one in which all the others are. */
  readonly isWide?: boolean;
};

/** A turn of a chat, in a folder beside a home and other people's files. Questions are said yes to. */
async function bench(t: TestContext, wish: Wish = {}) {
  const { target = own, from = owner, audience = "owner", isGone, isWide } = wish;
  const top = await testFolder(t);
  const [cwd, home] = [join(top, "work"), join(top, "home")];
  const [folder, mediaFolder] = [join(home, "gateway", "outgoing"), join(home, "media")];
  for (const each of [cwd, mediaFolder, join(top, "private")]) await mkdir(each, { recursive: true });
  await writeFile(join(top, "private", "a.txt"), "not yours");
  await writeFile(join(home, "config.yaml"), "model: {}");
  await writeFile(join(cwd, "report.txt"), "all is well");
  const rows = new Map<string, StoredOutbox>();
  const asked: Question[] = [];
  const during = { asking: async (): Promise<void> => {}, adding: async (): Promise<void> => {} };
  const begun: string[] = [];
  const tool = sendFileTool({
    target: async () => (isGone === true ? undefined : target),
    outbox: {
      get: async (id) => rows.get(id),
      async add({ byCall, ...row }, at) {
        await during.adding();
        const id = byCall?.id ?? "";
        const stored = { ...row, id, at, part: 0, state: "pending", attempts: 0, isOpen: false } as const;
        if (!rows.has(id)) rows.set(id, stored);
        return rows.get(id) ?? stored;
      },
    },
    folder,
    guarded: [home],
    mediaFolder,
  });
  const context: TurnContext = {
    session: asId<"ses">("ses_1"),
    turn: asId<"trn">("trn_0mfabcdef0123456789"),
    from,
    audience,
    cwd: isWide === true ? top : cwd,
    clock: systemClock,
    epoch: 3,
    inquire: async () => undefined,
    async ask(question, _signal, call): Promise<Decision> {
      asked.push(question);
      begun.push(call?.callId ?? "none");
      await during.asking();
      return { choice: "once", why: "person" };
    },
  };
  const box = toolBox([tool as unknown as Tool], context);
  const call = (path: string, also: { caption?: string; id?: string } = {}): Promise<ToolResult> => {
    const { id = "one", ...rest } = also;
    const args = { path, ...rest };
    const head = { id: asId<"itm">(id), callId: `call_${id}`, tool: "send_file", args };
    return box.call("send_file", args, new AbortController().signal, undefined, head);
  };
  const copies = (): Promise<readonly string[]> => readdir(folder).catch(() => []);
  const sent = (): readonly NewOutbox[] => [...rows.values()];
  return { top, cwd, home, folder, mediaFolder, rows, sent, asked, begun, during, call, copies };
}

const fileIn = (row: NewOutbox | undefined) => (row?.body.kind === "file" ? row.body.file : undefined);

describe("a file that a turn sends", () => {
  test("to the owner's own chat is copied for this user alone and put on its way, as an effect on this machine", async (t) => {
    const it = await bench(t);
    const { ok, output } = await it.call("report.txt", { caption: "As you **wished**" });
    assert.deepEqual(
      [ok, output],
      [true, "It is on its way; report.txt (11 bytes) goes out before the answer."],
    );
    assert.deepEqual(
      it.asked.map(({ effect, summary }) => [effect, summary]),
      [["local", "send report.txt to the chat with you on Telegram"]],
    );
    assert.deepEqual(it.begun, ["call_one"], "it is written down before it starts");
    const [row, ...others] = [...it.rows.values()];
    assert.deepEqual(others, []);
    assert.match(row?.id ?? "", /^obx_0mfabcdef[0-9a-f]{10}$/);
    const path = join(it.folder, row?.id ?? "", "report.txt");
    const file = { path, name: "report.txt", mediaType: "text/plain", bytes: 11 };
    assert.partialDeepStrictEqual(row, {
      surface: "telegram",
      account: "bot",
      chat: "7",
      replyTo: "99",
      turn: "trn_0mfabcdef0123456789",
      body: { kind: "file", file, caption: "As you **wished**" },
    });
    assert.equal(await readFile(path, "utf8"), "all is well");
    const modes = [path, join(path, ".."), it.folder].map(async (each) => (await stat(each)).mode & 0o777);
    assert.deepEqual(await Promise.all(modes), [0o600, 0o700, 0o700]);
    assert.deepEqual(await readdir(join(path, "..")), ["report.txt"]);
  });

  test("is what it was when it was sent, whatever becomes of the file", async (t) => {
    const it = await bench(t);
    await it.call("report.txt");
    await writeFile(join(it.cwd, "report.txt"), "all is lost");
    assert.equal(await readFile(fileIn(it.sent()[0])?.path ?? "", "utf8"), "all is well");
  });

  test("is put on its way once, however often its call is run; another call is another file", async (t) => {
    const it = await bench(t);
    const first = await it.call("report.txt");
    await writeFile(join(it.cwd, "report.txt"), "all is lost");
    assert.deepEqual(await it.call("report.txt"), first);
    await rm(join(it.cwd, "report.txt"));
    assert.deepEqual(await it.call("report.txt"), first);
    assert.equal(it.rows.size, 1);
    assert.equal(await readFile(fileIn(it.sent()[0])?.path ?? "", "utf8"), "all is well");
    await writeFile(join(it.cwd, "report.txt"), "all is lost");
    await it.call("report.txt", { id: "two" });
    assert.equal(it.rows.size, 2);
    assert.equal((await it.copies()).length, 2);
  });

  test("that could not be put down can be sent by the same call again", async (t) => {
    const it = await bench(t);
    it.during.adding = () => Promise.reject(new Error("no disk"));
    const { ok, output } = await it.call("report.txt");
    assert.deepEqual([ok, output], [false, "send_file failed: no disk"]);
    it.during.adding = async () => {};
    assert.equal((await it.call("report.txt")).ok, true);
    assert.equal(await readFile(fileIn(it.sent()[0])?.path ?? "", "utf8"), "all is well");
    assert.equal((await it.copies()).length, 1);
  });

  test("is a picture by its bytes, and anything else by its name", async (t) => {
    const it = await bench(t);
    await writeFile(join(it.cwd, "heron"), png(4, 4));
    await writeFile(join(it.cwd, "false.png"), "no picture");
    await writeFile(join(it.cwd, "a.PDF"), "%PDF");
    for (const path of ["heron", "false.png", "a.PDF"]) await it.call(path, { id: path });
    assert.deepEqual(
      it.sent().map((row) => fileIn(row)?.mediaType),
      ["image/png", "application/octet-stream", "application/pdf"],
    );
  });

  test("has a name that a screen shows as it is", async (t) => {
    const it = await bench(t);
    const name = 'in\u202Evoice\n"fdp".exe';
    await writeFile(join(it.cwd, name), "x");
    await it.call(name);
    assert.equal(fileIn(it.sent()[0])?.name, "in_voice__fdp_.exe");
  });
});

describe("to a chat that others read", () => {
  const members = { target: group, audience: "members" } as const;

  test("a file is asked about with what it holds", async (t) => {
    const it = await bench(t, members);
    assert.equal((await it.call("report.txt", { caption: "See" })).ok, true);
    const [question] = it.asked;
    assert.equal(question?.effect, "external");
    assert.equal(question?.summary, "send report.txt (11 bytes) to the group “Herons” on Telegram");
    assert.deepEqual(question?.args, {
      path: "report.txt",
      caption: "See",
      bytes: 11,
      sha256: createHash("sha256").update("all is well").digest("hex"),
      to: "telegram:-5",
    });
  });

  test("other bytes than those that were asked about are not sent", async (t) => {
    const it = await bench(t, members);
    it.during.asking = () => writeFile(join(it.cwd, "report.txt"), "not as seen");
    const { ok, output } = await it.call("report.txt");
    assert.equal(ok, false);
    assert.match(output, /not what it was when the question about it was asked/);
    assert.deepEqual([it.rows.size, await it.copies()], [0, []]);
  });

  test("a link that takes the file's place while it is asked about leads nowhere", async (t) => {
    const it = await bench(t, members);
    it.during.asking = async () => {
      await rm(join(it.cwd, "report.txt"));
      await symlink(join(it.top, "private", "a.txt"), join(it.cwd, "report.txt"));
    };
    assert.match((await it.call("report.txt")).output, /outside the working folder/);
    assert.deepEqual([it.rows.size, await it.copies()], [0, []]);
  });

  test("nobody is asked about a file that will not be sent", async (t) => {
    const it = await bench(t, members);
    for (const path of ["../private/a.txt", "missing.txt", "."])
      assert.equal((await it.call(path)).ok, false, path);
    assert.deepEqual(it.asked, []);
  });
});

describe("what may not be sent", () => {
  for (const target of [own, group])
    test(`is the same as may not be read, in ${target.name}`, async (t) => {
      const it = await bench(t, { target });
      await symlink(join(it.top, "private", "a.txt"), join(it.cwd, "innocent.txt"));
      await symlink(join(it.top, "private"), join(it.cwd, "folder"));
      await symlink(join(it.home, "config.yaml"), join(it.cwd, "settings.txt"));
      for (const name of [".env", "id_rsa", "server.pem"]) await writeFile(join(it.cwd, name), "secret");
      await symlink(join(it.cwd, ".env"), join(it.cwd, "notes.txt"));
      const refused = {
        "../private/a.txt": /outside the working folder/,
        [join(it.top, "private", "a.txt")]: /outside the working folder/,
        "/etc/passwd": /outside the working folder/,
        "innocent.txt": /outside the working folder/,
        "folder/a.txt": /outside the working folder/,
        "settings.txt": /outside the working folder/,
        [join(it.home, "config.yaml")]: /outside the working folder/,
        ".env": /holds credentials/,
        id_rsa: /holds credentials/,
        "server.pem": /holds credentials/,
        "notes.txt": /holds credentials/,
        "missing.txt": /there is no such file/,
        ".": /is a folder/,
      };
      for (const [path, why] of Object.entries(refused)) {
        const { ok, output } = await it.call(path, { id: path });
        assert.match(output, why, path);
        assert.equal(ok, false, path);
      }
      assert.deepEqual([it.rows.size, await it.copies()], [0, []]);
    });

  test("is anything of the home, also when that is inside the working folder", async (t) => {
    const it = await bench(t, { isWide: true });
    assert.equal((await it.call("work/report.txt")).ok, true);
    const [copy = ""] = await it.copies();
    await symlink(join(it.home, "config.yaml"), join(it.top, "settings.txt"));
    for (const path of ["home/config.yaml", "settings.txt", `home/gateway/outgoing/${copy}/report.txt`]) {
      const { ok, output } = await it.call(path, { id: path });
      assert.equal(ok, false, path);
      assert.match(output, /belongs to the settings and records of Talaria/, path);
    }
    assert.equal(it.rows.size, 1);
  });

  test("is what is empty, or larger than its platform takes", async (t) => {
    const it = await bench(t);
    await writeFile(join(it.cwd, "empty"), "");
    await writeFile(join(it.cwd, "large"), "");
    await truncate(join(it.cwd, "large"), 50_000_001);
    assert.match((await it.call("empty")).output, /is empty/);
    assert.match((await it.call("large")).output, /larger than 50 MB/);
    const small = await bench(t, { target: { ...own, surface: "discord" } });
    await writeFile(join(small.cwd, "large"), "");
    await truncate(join(small.cwd, "large"), 10_000_001);
    assert.match((await small.call("large")).output, /larger than 10 MB/);
    await truncate(join(small.cwd, "large"), 10_000_000);
    assert.equal((await small.call("large")).ok, true);
    assert.deepEqual([it.rows.size, await it.copies()], [0, []]);
  });

  test("is what our tools made, for anybody but the owner alone", async (t) => {
    for (const [wish, isSent] of [
      [{}, true],
      [{ target: group, audience: "members" }, false],
      [{ target: { ...own, isOwn: false }, from: { ...owner, role: "member" }, audience: "members" }, false],
    ] as const) {
      const it = await bench(t, wish);
      await writeFile(join(it.mediaFolder, "picture.png"), png(4, 4));
      const { ok } = await it.call(join(it.mediaFolder, "picture.png"));
      assert.equal(ok, isSent, JSON.stringify(wish));
      await symlink(join(it.home, "config.yaml"), join(it.mediaFolder, "link.png"));
      assert.equal((await it.call(join(it.mediaFolder, "link.png"), { id: "two" })).ok, false);
    }
  });

  test("is anything, when no chat has asked for it", async (t) => {
    const it = await bench(t, { isGone: true });
    assert.match((await it.call("report.txt")).output, /not asked for in a chat app/);
    assert.equal(it.rows.size, 0);
  });
});
