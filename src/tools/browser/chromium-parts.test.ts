import assert from "node:assert/strict";
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import * as fc from "../../../test/seeded.ts";
import { testFolder } from "../../../test/temp-folder.ts";
import { selfIdentity } from "../../lib/process/process-identity.ts";
import { findChromium } from "./browser-tools.ts";
import { texts } from "./cdp-pipe.ts";
import { profileFolder } from "./chromium.ts";
import { openPage } from "./navigate.ts";

test("messages are the same however they are cut", async () => {
  const message = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\0", ""));
  await fc.assert(
    fc.asyncProperty(fc.array(message), fc.integer({ min: 1, max: 7 }), async (messages, size) => {
      const bytes = Buffer.from(messages.map((text) => `${text}\0`).join(""));
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      const source = (async function* () {
        yield* chunks;
      })();
      assert.deepEqual(await Array.fromAsync(texts(source)), messages);
    }),
  );
});

test("a message without end is given up", async () => {
  const source = (async function* () {
    for (;;) yield new Uint8Array(100).fill(65);
  })();
  await assert.rejects(Array.fromAsync(texts(source, 1_000)), /more than 1000 bytes/);
});

test("Chromium is the one of the settings, else the first name on PATH, else a sentence", async (context) => {
  const folder = await testFolder(context);
  const program = async (name: string, mode: number): Promise<string> => {
    await writeFile(join(folder, name), "");
    await chmod(join(folder, name), mode);
    return join(folder, name);
  };
  await program("chromium", 0o644);
  assert.match(JSON.stringify(findChromium(undefined, folder)), /not installed.*apt install chromium/);
  const chrome = await program("google-chrome", 0o755);
  assert.deepEqual(findChromium(undefined, `relative:${folder}`), { path: chrome });
  const own = await program("own", 0o755);
  assert.deepEqual(findChromium(own, folder), { path: own });
  assert.match(JSON.stringify(findChromium(join(folder, "gone"), folder)), /browser\.executable is .*gone/);
});

test("a profile is gone afterwards, and those of processes that ended go with the next one", async (context) => {
  const top = await testFolder(context);
  const self = selfIdentity();
  const of = async (name: string, owner: unknown): Promise<void> => {
    await mkdir(join(top, name));
    if (owner !== undefined) await writeFile(join(top, name, "owner.json"), JSON.stringify(owner));
  };
  await of("talaria-dead", { ...self, startTime: "1" });
  await of("talaria-live", self);
  await of("talaria-elsewhere", { ...self, startTime: "1", host: "another-machine" });
  await of("talaria-nobodys", undefined);
  await of("other-dead", { ...self, startTime: "1" });
  {
    await using profile = await profileFolder(top);
    await writeFile(join(profile.path, "file"), "x");
    const now = await readdir(top);
    assert.equal(now.length, 5);
    assert.ok(!now.includes("talaria-dead"));
  }
  const rest = (await readdir(top)).toSorted();
  assert.deepEqual(rest, ["other-dead", "talaria-elsewhere", "talaria-live", "talaria-nobodys"]);
});

test("a path that is too long for Chromium's socket is not used", async (context) => {
  const top = await testFolder(context);
  const deep = join(top, "a-rather-long-name-of-a-folder", "and-one-more-below-it");
  await using profile = await profileFolder(deep, top);
  assert.ok(profile.path.startsWith(join(top, "talaria-")), profile.path);
});

const never = (): Promise<Page> => new Promise(() => {});
const crashed = (): Promise<Page> => Promise.reject(new Error("Target crashed"));

describe("a page to begin with", () => {
  const signal = new AbortController().signal;
  const page = {} as Page;

  /** What each attempt to open one comes to. */
  const opening = (...attempts: (() => Promise<Page>)[]) => {
    const clock = fakeClock();
    const left = [...attempts];
    return {
      clock,
      opened: openPage({ page: () => left.shift()?.() ?? Promise.reject() }, { clock, signal }),
    };
  };

  test("one that never comes is asked for once more", async () => {
    const { clock, opened } = opening(never, async () => page);
    await clock.advance(10_000);
    assert.equal(await opened, page);
  });

  test("so is one that crashed while it was opened", async () => {
    assert.equal(await opening(crashed, async () => page).opened, page);
  });

  test("a browser that opens none is told, with what to do", async () => {
    const { clock, opened } = opening(never, never);
    const told = assert.rejects(opened, /no page was there within 10 s\. Try once more/);
    await clock.advance(10_000);
    await clock.advance(10_000);
    await told;
  });
});
