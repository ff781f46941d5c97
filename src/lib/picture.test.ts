import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { testFolder } from "../../test/temp-folder.ts";
import { pictureOf, readPicture } from "./picture.ts";

const latin = (text: string): Buffer => Buffer.from(text, "latin1");
const heads = {
  "image/png": latin("\u0089PNG\r\n\u001A\n"),
  "image/jpeg": latin("\u00FF\u00D8\u00FF\u00DB"),
  "image/gif": latin("GIF89a"),
  "image/webp": latin("RIFF\u0000\u0000\n\u0000WEBPVP8 "),
};

test("the kind of a picture is known by its first bytes", () => {
  for (const [mediaType, head] of Object.entries(heads)) {
    assert.deepEqual(pictureOf("x", head), { name: "x", mediaType, base64: head.toString("base64") });
    assert.partialDeepStrictEqual(pictureOf("x", head.subarray(0, 2)), { why: "not_a_picture" });
    assert.partialDeepStrictEqual(pictureOf("x", Buffer.concat([latin(" "), head])), {
      why: "not_a_picture",
    });
  }
});

test("a file is read whole up to the limit, and not beyond it", async (t) => {
  const folder = await testFolder(t);
  const file = join(folder, "a.png");
  const bytes = Buffer.concat([heads["image/png"], Buffer.alloc(92, 7)]);
  await writeFile(file, bytes);
  const base64 = bytes.toString("base64");
  assert.deepEqual(await readPicture(file, { maxBytes: 100 }), {
    name: "a.png",
    mediaType: "image/png",
    base64,
  });
  assert.partialDeepStrictEqual(await readPicture(file, { maxBytes: 99 }), { why: "too_big" });
  await writeFile(file, "");
  assert.partialDeepStrictEqual(await readPicture(file), { why: "not_a_picture" });
});

test("what cannot be read says why", async () => {
  assert.partialDeepStrictEqual(await readPicture("/no/such.png"), { why: "missing" });
  assert.match(JSON.stringify(await readPicture("/no/such.png")), /ENOENT/);
  assert.partialDeepStrictEqual(await readPicture("/dev/null/x.png"), { why: "missing" });
  assert.partialDeepStrictEqual(await readPicture("/tmp/a\0.png"), { why: "unreadable" });
  assert.partialDeepStrictEqual(await readPicture(tmpdir()), { why: "not_a_picture" });
  assert.partialDeepStrictEqual(await readPicture("/dev/zero"), { why: "not_a_picture" });
});
