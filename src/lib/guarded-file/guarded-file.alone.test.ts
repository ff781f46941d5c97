import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, renameSync, statSync, writeFileSync } from "node:fs";
import {
  chmod,
  link,
  lstat,
  mkdir,
  open,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { newFolder } from "../../../test/temp-folder.ts";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { type Clock, systemClock } from "../clock.ts";
import { selfIdentity } from "../process/process-identity.ts";
import { type SwapFile, fileSwapper } from "../files/swap-file.ts";
import { type Change, editFile, lookAtFile } from "./guarded-file.ts";

const ways: Readonly<Record<string, SwapFile>> = {
  "where perl is": fileSwapper(process.env, systemClock),
  "where no perl is": fileSwapper({ PATH: "" }, systemClock),
};

let root: string;
let folder: string;
let file: string;
let count = 0;
before(async () => {
  root = await newFolder();
});
beforeEach(() => {
  folder = join(root, String((count += 1)));
  file = join(folder, "config.toml");
});
after(() => rm(root, { recursive: true, force: true }));

const adds: Change = (text) => ((text ?? "").includes("ours") ? text : `${text ?? ""}ours\n`);
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
const textOf = (path: string): Promise<string> => readFile(path, "utf8");

async function existing(text = "theirs\n"): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(file, text);
}

/** At once, as an editor that runs at the same time could. */
const write = (text: string): void => writeFileSync(file, text);
const savers: Readonly<Record<string, (text: string) => void>> = {
  "in place": write,
  "by renaming": (text) => {
    writeFileSync(`${file}.swp`, text);
    renameSync(`${file}.swp`, file);
  },
};

for (const [fixture, swap] of Object.entries(ways)) {
  const tools = { clock: systemClock, swap };
  describe(`a file that others write, too, ${fixture}`, () => {
    test("is made for the owner alone, with its folder, and nothing else is left", async () => {
      assert.partialDeepStrictEqual(await editFile(file, adds, tools), { written: true, after: "ours\n" });
      assert.deepEqual([await modeOf(folder), await modeOf(file)], [0o700, 0o600]);
      assert.deepEqual(await readdir(folder), ["config.toml"]);
      assert.partialDeepStrictEqual(await editFile(file, adds, tools), { written: false });
    });

    test("keeps its mode, and what it held is beside it for the owner alone", async () => {
      await existing();
      await chmod(file, 0o644);
      const edit = await editFile(file, adds, tools);
      assert.equal(edit.backup, `${file}.talaria-backup`);
      assert.equal(await textOf(file), "theirs\nours\n");
      assert.equal(await textOf(`${file}.talaria-backup`), "theirs\n");
      assert.deepEqual([await modeOf(file), await modeOf(`${file}.talaria-backup`)], [0o644, 0o600]);
      assert.equal((await readdir(folder)).length, 2);
    });

    test("leaves nothing beside it when no backup is wanted", async () => {
      await existing();
      const edit = await editFile(file, adds, tools, { backup: false });
      assert.deepEqual(edit, { before: "theirs\n", after: "theirs\nours\n", written: true, saved: [] });
      assert.deepEqual(await readdir(folder), ["config.toml"]);
    });

    test("is removed only as it was seen", async () => {
      await existing("ours\n");
      let asked = 0;
      const gone: Change = (text) => {
        asked += 1;
        if (asked === 2) write("ours, saved meanwhile\n");
        return text?.startsWith("ours") ? undefined : text;
      };
      const edit = await editFile(file, gone, tools, { backup: false });
      assert.partialDeepStrictEqual(edit, { before: "ours, saved meanwhile\n", written: true });
      assert.deepEqual([asked, await readdir(folder)], [3, []]);
      await existing("ours\n");
      assert.equal((await editFile(file, gone, tools)).backup, `${file}.talaria-backup`);
      assert.equal(await textOf(`${file}.talaria-backup`), "ours\n");
    });

    test("comes back when an editor writes into it after it was removed", async () => {
      await existing("ours\n");
      const editor = await open(file, "r+");
      const late: Clock = {
        ...systemClock,
        async sleep(...args) {
          if (!existsSync(file)) await editor.write("THEIRS\n", 0);
          await systemClock.sleep(...args);
        },
      };
      await editFile(file, (text) => (text === "ours\n" ? undefined : text), { ...tools, clock: late });
      await editor.close();
      assert.equal(await textOf(file), "THEIRS\n");
      assert.deepEqual(await readdir(folder), ["config.toml"]);
    });

    test("is replaced where a link points to, and the link stays", async () => {
      await existing();
      const name = join(root, `link-${count}`);
      await symlink(file, name);
      await editFile(name, adds, tools);
      assert.ok((await lstat(name)).isSymbolicLink());
      assert.equal(await textOf(file), "theirs\nours\n");
    });

    for (const [style, save] of Object.entries(savers)) {
      test(`keeps what an editor saved meanwhile ${style}, and gets ours upon it`, async () => {
        await existing();
        const seen: (string | undefined)[] = [];
        const edit = await editFile(
          file,
          (text) => {
            seen.push(text);
            // The second look is the one under the lock.
            if (seen.length === 2) save("saved meanwhile\n");
            return adds(text);
          },
          tools,
        );
        assert.deepEqual(seen.at(-1), "saved meanwhile\n");
        assert.equal(await textOf(file), "saved meanwhile\nours\n");
        assert.equal(edit.before, "saved meanwhile\n");
        assert.deepEqual((await readdir(folder)).toSorted(), ["config.toml", "config.toml.talaria-backup"]);
      });
    }

    test("is not made over one that somebody made meanwhile", async () => {
      let asked = 0;
      await editFile(
        file,
        (text) => {
          asked += 1;
          if (asked === 2) write("theirs\n");
          return adds(text);
        },
        tools,
      );
      assert.equal(await textOf(file), "theirs\nours\n");
    });

    test("gets back what an editor writes into the old file after it was replaced", async () => {
      await existing();
      const editor = await open(file, "r+");
      let swaps = 0;
      const late: SwapFile = async (...args) => {
        const result = await swap(...args);
        swaps += 1;
        if (swaps === 1) await editor.write("THEIRS\n", 0);
        return result;
      };
      await editFile(file, adds, { ...tools, swap: late });
      await editor.close();
      assert.equal(await textOf(file), "THEIRS\nours\n");
      assert.equal((await readdir(folder)).length, 2);
    });
  });
}

const tools = { clock: systemClock, swap: fileSwapper({ PATH: "" }, systemClock) };

test("looking writes nothing, not even a folder", async () => {
  assert.partialDeepStrictEqual(await lookAtFile(file, adds, tools), { written: false, after: "ours\n" });
  await assert.rejects(stat(folder), { code: "ENOENT" });
});

const broken: SwapFile = async () => {
  throw new Error("no space");
};

test("when it cannot be replaced it is as it was, and nothing is left", async () => {
  await existing();
  await assert.rejects(editFile(file, adds, { ...tools, swap: broken }), /no space/);
  assert.deepEqual(await readdir(folder), ["config.toml"]);
});

const refuse: Change = () => {
  throw new Error("damaged");
};

test("a file that is being saved is not read half", async () => {
  await existing("half");
  const seen: (string | undefined)[] = [];
  let slept = false;
  const saving: Clock = {
    ...systemClock,
    // However busy the machine is, it was written just now.
    now: () => (slept ? systemClock.now() : statSync(file).mtimeMs),
    sleep: (...args) => {
      slept = true;
      if (seen.length === 0) write("whole\n");
      return systemClock.sleep(...args);
    },
  };
  const change: Change = (text) => {
    seen.push(text);
    return adds(text);
  };
  await editFile(file, change, { ...tools, clock: saving });
  assert.deepEqual(new Set(seen), new Set(["whole\n"]));
});

test("a refusal leaves no lock and no folder", async () => {
  await assert.rejects(editFile(file, refuse, tools), /damaged/);
  await assert.rejects(stat(folder), { code: "ENOENT" });
});

test("two saves in the very moment of the replacement are both kept, and the person is told where", async () => {
  await existing();
  let asked = 0;
  const both: SwapFile = async (fresh, path, expected) => {
    asked += 1;
    if (asked > 1) return tools.swap(fresh, path, expected);
    await writeFile(fresh, "the earlier save\n");
    await writeFile(path, "the later save\n");
    return "both";
  };
  const { saved } = await editFile(file, adds, { ...tools, swap: both });
  assert.equal(await textOf(file), "the later save\nours\n");
  assert.equal(await textOf(saved[0] ?? ""), "the earlier save\n");
});

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

test("what a killed run left is removed, but not what somebody saved in that moment", async () => {
  await existing();
  const stage = join(folder, `.config.toml.talaria-${digest("old")}-${digest("new")}`);
  const leftOvers = {
    [stage]: "old",
    [`${stage}.aside`]: "new",
    [`${stage}.known`]: "ol",
    [`${stage}x.part`]: "n",
  };
  for (const [path, text] of Object.entries(leftOvers)) await writeFile(path, text);
  assert.deepEqual((await editFile(file, adds, tools)).saved, []);
  assert.deepEqual((await readdir(folder)).toSorted(), ["config.toml", "config.toml.talaria-backup"]);

  await writeFile(file, "theirs again\n");
  await writeFile(stage, "a save of theirs");
  const { saved } = await editFile(file, adds, tools);
  assert.equal(await textOf(saved[0] ?? ""), "a save of theirs");
});

test("a file that is no text, and one that is no file, is refused", async () => {
  await mkdir(folder);
  await writeFile(file, Buffer.from([0xff, 0xfe, 0]));
  await assert.rejects(editFile(file, adds, tools), /cannot be read: it has bytes that are not UTF-8/);
  await rm(file);
  await mkdir(file);
  await assert.rejects(editFile(file, adds, tools), /cannot be read: it is not a file/);
});

const lock = (owner: object): Promise<void> => writeFile(`${file}.talaria-lock`, JSON.stringify(owner));

describe("the lock of another process", () => {
  test("that is dead is taken away", async () => {
    await existing();
    await lock({ ...selfIdentity(), startTime: "long ago" });
    assert.equal((await editFile(file, adds, tools)).written, true);
    assert.equal((await readdir(folder)).length, 2);
  });

  test("that is dead is taken away by one at a time, also after one who was killed while doing so", async () => {
    await existing();
    const owner = { ...selfIdentity(), startTime: "long ago" };
    await lock(owner);
    const name = createHash("sha256").update(JSON.stringify(owner)).digest("hex").slice(0, 12);
    const claim = join(folder, `.config.toml.talaria-lock-left-${name}`);
    await link(`${file}.talaria-lock`, claim);
    const clock = fakeClock();
    const editing = editFile(file, adds, { ...tools, clock });
    const state = { over: false };
    void editing.finally(() => (state.over = true)).catch(() => {});
    while (!state.over) await clock.advance(1_000);
    await assert.rejects(editing, { name: "GuardedFileError", message: /holds/ });
    assert.equal(existsSync(`${file}.talaria-lock`), true, "somebody else is taking it away");
    const later: Clock = { ...systemClock, now: () => systemClock.now() + 10_000 };
    assert.equal((await editFile(file, adds, { ...tools, clock: later })).written, true);
    assert.deepEqual((await readdir(folder)).toSorted(), ["config.toml", "config.toml.talaria-backup"]);
  });

  test("that lives is waited for, and in the end it is said who holds it", async () => {
    await existing();
    await lock(selfIdentity());
    const clock = fakeClock();
    const editing = editFile(file, adds, { ...tools, clock });
    editing.catch(() => {});
    const state = { over: false };
    void editing.finally(() => (state.over = true)).catch(() => {});
    while (!state.over) await clock.advance(1_000);
    await assert.rejects(editing, {
      name: "GuardedFileError",
      trouble: { kind: "locked", lock: `${file}.talaria-lock`, pid: process.pid },
      message: new RegExp(`process ${process.pid} holds`),
    });
    assert.equal(await textOf(file), "theirs\n");
  });

  test("that was never signed is taken away after a while", async () => {
    await existing();
    await writeFile(`${file}.talaria-lock`, "");
    const past = (systemClock.now() - 10_000) / 1000;
    await utimes(`${file}.talaria-lock`, past, past);
    assert.equal((await editFile(file, adds, tools)).written, true);
  });
});
