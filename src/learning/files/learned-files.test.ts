import assert from "node:assert/strict";
import { chmod, lstat, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { asId } from "../../core/ids.ts";
import { systemClock } from "../../lib/clock.ts";
import { type SwapFile, fileSwapper } from "../../lib/files/swap-file.ts";
import { textsOf } from "../memory/entries.ts";
import { adds, edits, filesWorld, memory, skill } from "./files-world.suite.ts";

const broken: SwapFile = () => Promise.reject(new Error("no space"));
const swapper = fileSwapper({ PATH: "" }, systemClock);

describe("a change of what is learned", () => {
  test("is in the file and in a row that says where it came from", async () => {
    await using it = await filesWorld();
    const done = await it.files.change(adds("uses tabs"), "write");
    assert.partialDeepStrictEqual(done, {
      state: "active",
      by: "agent",
      evidence: ["I said so"],
      after: "uses tabs\n",
    });
    assert.equal("before" in done, false);
    assert.equal(await it.files.read(memory), "uses tabs\n");
    assert.deepEqual(await it.rows(), [done]);
    assert.deepEqual(await it.names(), [memory]);
  });

  test("keeps what a person wrote in between as a revision of theirs", async () => {
    await using it = await filesWorld();
    await it.files.change(adds("uses tabs"), "write");
    await it.save("uses tabs\n§\nlikes  boats \n\n");
    await it.files.change(adds("is Ada"), "write");
    assert.equal(await it.text(), "uses tabs\n§\nlikes  boats\n§\nis Ada \n\n");
    const [ours, theirs] = await it.rows();
    assert.equal(ours?.before, "uses tabs\n§\nlikes  boats \n\n");
    assert.partialDeepStrictEqual(theirs, { by: "person", state: "active", before: "uses tabs\n" });
    assert.equal(theirs?.after, ours?.before);
  });

  test("that cannot be done leaves no file, no folder and no row", async () => {
    await using it = await filesWorld();
    const impossible = edits({ action: "remove", target: "memory", entry: "nothing" });
    for (const how of ["write", "propose"] as const)
      await assert.rejects(it.files.change(impossible, how), { name: "Refusal", code: "not_found" });
    assert.deepEqual([await it.rows(), await it.names()], [[], []]);
  });

  test("that the disk does not take is a failed revision, and the file is as before", async () => {
    await using it = await filesWorld();
    await it.files.change(adds("uses tabs"), "write");
    await assert.rejects(it.other({ swap: broken }).change(adds("is Ada"), "write"), {
      name: "Refusal",
      code: "storage",
      message: /no space/,
    });
    assert.equal(await it.text(), "uses tabs\n");
    assert.partialDeepStrictEqual((await it.rows())[0], { state: "failed" });
    assert.deepEqual(await it.names(), [memory]);
  });

  test("leaves a file alone that a person made read-only, and says so", async () => {
    await using it = await filesWorld();
    await it.files.change(adds("uses tabs"), "write");
    await it.save("uses tabs, mine\n");
    await chmod(join(it.home, memory), 0o444);
    await assert.rejects(it.files.change(adds("is Ada"), "write"), {
      name: "Refusal",
      code: "refused",
      message: /read-only/,
      next: /chmod/,
    });
    assert.equal(await it.text(), "uses tabs, mine\n");
    assert.equal((await it.rows()).length, 1);
    assert.deepEqual(await it.names(), [memory]);
  });

  test("goes where a link leads that a person made, and the link stays", async () => {
    await using it = await filesWorld();
    for (const folder of ["memories", "dotfiles"]) await mkdir(join(it.home, folder));
    await symlink("../dotfiles/notes.md", join(it.home, memory));
    const { id } = await it.files.change(adds("uses tabs"), "write");
    assert.equal(await readFile(join(it.home, "dotfiles", "notes.md"), "utf8"), "uses tabs\n");
    await it.files.revert(id, "you");
    assert.equal(await it.text(), undefined);
    assert.ok((await lstat(join(it.home, memory))).isSymbolicLink());
  });

  test("of what is no file, or no text, is refused in words", async () => {
    await using it = await filesWorld();
    await mkdir(join(it.home, memory), { recursive: true });
    const refusal = {
      name: "Refusal",
      code: "config",
      message: /MEMORY.md cannot be read: it is not a file/,
    };
    await assert.rejects(it.files.read(memory), refusal);
    await assert.rejects(it.files.change(adds("uses tabs"), "write"), refusal);
    await rm(join(it.home, memory), { recursive: true });
    await writeFile(join(it.home, memory), Buffer.from([0x61, 0xe4]));
    await assert.rejects(it.files.change(adds("uses tabs"), "write"), { message: /not UTF-8/ });
    assert.deepEqual(await it.rows(), []);
  });

  test("is done again to what somebody saved in the same moment", async () => {
    await using it = await filesWorld();
    await it.files.change(adds("uses tabs"), "write");
    let swaps = 0;
    const swap: SwapFile = async (...args) => {
      swaps += 1;
      if (swaps === 1) await it.save("uses tabs, and likes boats\n");
      return swapper(...args);
    };
    const { files } = it;
    const busy = it.other({ swap });
    const done = await busy.change(adds("is Ada"), "write");
    assert.equal(await files.read(memory), "uses tabs, and likes boats\n§\nis Ada\n");
    assert.equal(done.before, "uses tabs, and likes boats\n");
    assert.deepEqual(
      (await it.rows()).map(({ by, state }) => `${by} ${state}`),
      ["agent active", "person active", "agent failed", "agent active"],
    );
  });

  test("removes a file, and the folder with it", async () => {
    await using it = await filesWorld();
    await it.files.change(edits("# Deploy\n", skill), "write");
    assert.equal(await it.text(skill), "# Deploy\n");
    const gone = await it.files.change(edits(null, skill), "write");
    assert.equal(gone.before, "# Deploy\n");
    assert.deepEqual(await it.names(), []);
    await it.files.revert(gone.id, "you");
    assert.equal(await it.text(skill), "# Deploy\n");
  });

  test("reaches nothing outside of the two folders", async () => {
    await using it = await filesWorld();
    await mkdir(join(it.home, "elsewhere"));
    await mkdir(join(it.home, "skills"));
    await symlink(join(it.home, "elsewhere"), join(it.home, "skills", "linked"));
    const names = [
      "skills/linked/SKILL.md",
      "skills/../config.yaml",
      "/etc/passwd",
      "config.yaml",
      "memories",
      "memories//x",
      "memories/..",
      "skills/a\\b/SKILL.md",
      "skills/a\0/SKILL.md",
    ];
    for (const name of names) {
      await assert.rejects(
        it.files.change(edits("x", name), "write"),
        { name: "Refusal", code: "refused" },
        name,
      );
      await assert.rejects(it.files.read(name), { name: "Refusal" }, name);
    }
    assert.deepEqual(await it.names(), ["skills/linked"]);
  });
});

describe("a proposal", () => {
  test("changes nothing until it is approved, and is then done to the file as it is", async () => {
    await using it = await filesWorld();
    const asked = await it.files.change(adds("is Ada"), "propose", "it came from a web page");
    assert.partialDeepStrictEqual(asked, { state: "proposed", why: "it came from a web page" });
    assert.equal(await it.text(), undefined);
    await it.files.change(adds("uses tabs"), "write");
    const done = await it.files.approve(asked.id, "you");
    assert.partialDeepStrictEqual(done, {
      id: asked.id,
      state: "active",
      decidedBy: "you",
      before: "uses tabs\n",
    });
    assert.equal(await it.text(), "uses tabs\n§\nis Ada\n");
    assert.deepEqual(await it.store.revisions.find(done.id), [done]);
    await it.files.change(adds("likes boats"), "write");
    assert.equal((await it.rows()).length, 3, "what was approved is no edit by hand");
  });

  test("that is made twice is one", async () => {
    await using it = await filesWorld();
    const [one, two] = [
      await it.files.change(adds("x"), "propose"),
      await it.files.change(adds("x"), "propose"),
    ];
    assert.equal(one.id, two.id);
  });

  test("that a person has rejected is not made again by a review", async () => {
    await using it = await filesWorld();
    const wish = adds("is Ada");
    const review = { ...wish, from: { ...wish.from, by: "review" } } as const;
    const asked = await it.files.change(wish, "propose");
    await it.files.reject(asked.id, "you");
    await assert.rejects(it.files.change(review, "propose"), {
      code: "refused",
      message: new RegExp(`said no \\(${asked.id}\\)`),
    });
    assert.equal((await it.rows()).length, 1);
    assert.equal((await it.files.change(wish, "propose")).state, "proposed");
  });

  test("is decided once", async () => {
    await using it = await filesWorld();
    const asked = await it.files.change(adds("is Ada"), "propose");
    assert.partialDeepStrictEqual(await it.files.reject(asked.id, "you", "wrong"), {
      state: "rejected",
      why: "wrong",
    });
    for (const again of [it.files.approve, it.files.reject, it.files.revert])
      await assert.rejects(again(asked.id, "you"), { name: "Refusal", code: "usage", message: /rejected/ });
    await assert.rejects(it.files.approve(asId<"rev">("rev_none"), "you"), { code: "not_found" });
    assert.equal(await it.text(), undefined);
  });

  test("that cannot be done any more still waits", async () => {
    await using it = await filesWorld();
    await it.files.change(adds("uses tabs"), "write");
    const asked = await it.files.change(
      edits({ action: "replace", target: "memory", entry: "uses tabs", content: "uses spaces" }),
      "propose",
    );
    await it.save("uses four tabs\n");
    await assert.rejects(it.files.approve(asked.id, "you"), {
      code: "not_found",
      message: /no longer there/,
    });
    assert.partialDeepStrictEqual(await it.store.revisions.find(asked.id), [{ state: "proposed" }]);
  });

  test("that is true by now is active, and changes nothing", async () => {
    await using it = await filesWorld();
    const asked = await it.files.change(adds("uses tabs"), "propose");
    await it.files.change(adds("uses tabs"), "write");
    assert.partialDeepStrictEqual(await it.files.approve(asked.id, "you"), {
      state: "active",
      why: "It was so already.",
    });
    assert.equal(await it.text(), "uses tabs\n");
  });
});

describe("taking back", () => {
  test("brings the same bytes back, the file's absence included, and can be taken back itself", async () => {
    await using it = await filesWorld();
    const first = await it.files.change(adds("uses tabs"), "write");
    await it.save("\uFEFF uses tabs \r\n\r\n");
    const second = await it.files.change(adds("is Ada"), "write");
    const back = await it.files.revert(second.id, "you");
    assert.equal(await it.text(), "\uFEFF uses tabs \r\n\r\n");
    assert.partialDeepStrictEqual(back, {
      reverts: second.id,
      by: "person",
      decidedBy: "you",
      state: "active",
    });
    await it.files.revert(back.id, "you");
    assert.equal(await it.text(), second.after);
    await it.save("uses tabs\n");
    await it.files.revert(first.id, "you");
    assert.deepEqual(await it.names(), []);
  });

  test("brings the same bytes back whatever a person's editor writes", async () => {
    for (const text of [
      "\uFEFFa\r\n§\r\nb",
      "a\r\nb\r\n§\r\nc\r\n",
      "a",
      "",
      "\n\n",
      " a \n§\n\n§\nb",
      "<!-- x -->",
      "§\na\n§",
    ]) {
      await using it = await filesWorld();
      await mkdir(join(it.home, "memories"));
      await it.save(text);
      const { id } = await it.files.change(adds("is Ada"), "write");
      assert.ok(textsOf(await it.text()).includes("is Ada"));
      await it.files.revert(id, "you");
      assert.equal(await it.text(), text);
    }
  });

  test("takes only its own entries when others came after", async () => {
    await using it = await filesWorld();
    for (const one of ["uses tabs", "is Ada", "likes boats"]) await it.files.change(adds(one), "write");
    const [last, ada, tabs] = await it.rows();
    await it.save("uses tabs\n§\nis Ada\n§\n\nlikes boats   \n§\nlives in Bern");
    await it.files.revert(ada!.id, "you");
    assert.equal(await it.text(), "uses tabs\n§\nlikes boats   \n§\nlives in Bern");
    await it.files.revert(tabs!.id, "you");
    await it.files.revert(last!.id, "you");
    assert.equal(await it.text(), "lives in Bern");
  });

  test("puts an entry back where it was, in the words it had", async () => {
    await using it = await filesWorld();
    await it.files.change(adds("one"), "write");
    await it.save("one\n§\ntwo\n§\nthree\n§\nfour\n");
    const removed = await it.files.change(
      edits({ action: "remove", target: "memory", entry: "two" }),
      "write",
    );
    const replaced = await it.files.change(
      edits({ action: "replace", target: "memory", entry: "four", content: "FOUR" }),
      "write",
    );
    await it.files.change(adds("five"), "write");
    await it.files.revert(removed.id, "you");
    await it.files.revert(replaced.id, "you");
    assert.equal(await it.text(), "one\n§\ntwo\n§\nthree\n§\nfour\n§\nfive\n");
  });

  test("is refused when its own words were changed since", async () => {
    await using it = await filesWorld();
    const done = await it.files.change(adds("uses tabs"), "write");
    await it.save("uses many tabs\n");
    await assert.rejects(it.files.revert(done.id, "you"), {
      code: "refused",
      message: /changed or removed since/,
    });
    assert.equal(await it.text(), "uses many tabs\n");
  });

  test("of lines of a skill leaves what others changed elsewhere in it", async () => {
    await using it = await filesWorld();
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`);
    const text = (change: Record<number, string>) => lines.map((line, at) => change[at] ?? line).join("\n");
    await it.files.change(edits(text({}), skill), "write");
    const done = await it.files.change(edits(text({ 10: "TEN", 11: "more\nlines" }), skill), "write");
    await it.save(text({ 1: "ONE\nand", 10: "TEN", 11: "more\nlines", 18: "18!" }), skill);
    await it.files.revert(done.id, "you");
    assert.equal(await it.text(skill), text({ 1: "ONE\nand", 18: "18!" }));
    await it.save(text({ 10: "TEN", 11: "more\nother lines" }), skill);
    await assert.rejects(it.files.revert(done.id, "you"), { code: "refused", message: /changed since/ });
    await it.save(
      `${text({ 10: "TEN", 11: "more\nlines" })}\n${text({ 10: "TEN", 11: "more\nlines" })}`,
      skill,
    );
    await assert.rejects(
      it.files.revert(done.id, "you"),
      { code: "refused" },
      "it is not clear which lines are meant",
    );
  });
});
