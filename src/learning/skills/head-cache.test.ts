import assert from "node:assert/strict";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { tempFolder } from "../../../test/temp-folder.ts";
import { headCache } from "./head-cache.ts";
import { skillsIn } from "./skill-folders.ts";

async function world(count: number) {
  const temp = await tempFolder();
  const { path: top } = temp;
  const save = async (name: string): Promise<void> => {
    await mkdir(join(top, "skills", name), { recursive: true });
    await writeFile(
      join(top, "skills", name, "SKILL.md"),
      `---\nname: ${name}\ndescription: About ${name}.\n---\n`,
    );
  };
  for (let at = 0; at < count; at++) await save(`skill-${at}`);
  const file = join(top, "heads.json");
  return {
    save,
    drop: (name: string) => rm(join(top, "skills", name), { recursive: true }),
    file,
    cached: () => readFile(file, "utf8").catch(() => ""),
    process: () => {
      const cache = headCache(file);
      return () => skillsIn(join(top, "skills"), "home", cache);
    },
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
}

test("what is kept of skills has none that is gone, whoever knew it", async () => {
  await using it = await world(210);
  await it.save("zanzibar");
  const [one, two] = [it.process(), it.process()];
  await one();
  await two();
  assert.match(await it.cached(), /zanzibar/);
  await it.drop("zanzibar");
  await rm(it.file);
  await it.save("fresh");
  await one();
  assert.match(await it.cached(), /fresh/);
  assert.doesNotMatch(await it.cached(), /zanzibar/);

  await it.save("zanzibar");
  await two();
  await it.drop("zanzibar");
  await it.process()();
  assert.doesNotMatch(await it.cached(), /zanzibar/, "also when nothing was read anew");
});

test("the file goes when there are too few for it", async () => {
  await using it = await world(200);
  const look = it.process();
  await look();
  assert.notEqual(await it.cached(), "");
  await it.drop("skill-7");
  await look();
  assert.equal(await it.cached(), "");
});
