import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Facts } from "./facts.ts";
import { mediaProbes } from "./check-files.ts";
import { testFolder } from "../../../test/temp-folder.ts";

test("files that tools made are worth a line only when they are many, and the line says what to do", async (t) => {
  const home = await testFolder(t);
  const location = { home, paths: { media: home } } as Facts["location"];
  const look = async (limit: number) =>
    mediaProbes({ location }, limit)[0]?.look(new AbortController().signal);
  await writeFile(join(home, "a.png"), Buffer.alloc(600));
  await writeFile(join(home, "b.wav"), Buffer.alloc(600));
  assert.deepEqual(await look(1200), []);
  const [finding] = (await look(1199)) ?? [];
  assert.partialDeepStrictEqual(finding, { name: "media", ok: true, level: "note" });
  assert.match(finding?.detail ?? "", /holds 1\.2 KiB of pictures and sounds/);
  assert.match(finding?.next ?? "", /Delete those/);
  const gone = { home, paths: { media: join(home, "nowhere") } } as Facts["location"];
  assert.deepEqual(await mediaProbes({ location: gone })[0]?.look(new AbortController().signal), []);
});
