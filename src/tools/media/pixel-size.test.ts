import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { png } from "../../../test/fakes/media-service-pictures.ts";
import { pixelSize } from "./pixel-size.ts";

const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  );

test("each kind of picture says its own size", () => {
  const size = { width: 640, height: 400 };
  const exif = ["\xff\xe1", [0, 6], "Exif"] as const;
  const pictures = {
    png: png(640, 400),
    gif: bytes("GIF89a", [0x80, 2, 0x90, 1]),
    jpeg: bytes("\xff\xd8", ...exif, "\xff\xff\xc2", [0, 17, 8, 1, 0x90, 2, 0x80, 3]),
    "webp, simple": bytes("RIFF\0\0\0\0WEBPVP8 ", [0, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 0x80, 2, 0x90, 1]),
    "webp, lossless": bytes("RIFF\0\0\0\0WEBPVP8L", [0, 0, 0, 0, 0x2f, 0x7f, 0xc2, 0x63, 0]),
    "webp, extended": bytes("RIFF\0\0\0\0WEBPVP8X", [0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 2, 0, 0x8f, 1, 0]),
  };
  for (const [kind, picture] of Object.entries(pictures)) assert.deepEqual(pixelSize(picture), size, kind);
});

test("what is cut off, empty or something else has none, and nothing makes it throw", () => {
  assert.equal(pixelSize(png(5, 5).subarray(0, 20)), undefined);
  assert.equal(pixelSize(bytes("GIF89a", [0, 0, 9, 0])), undefined, "no picture is 0 wide");
  const starts = fc.constantFrom(
    "\x89PNG\r\n\x1a\n",
    "\xff\xd8\xff",
    "GIF87a",
    "RIFF\0\0\0\0WEBPVP8X",
    "<svg>",
    "",
  );
  fc.assert(
    fc.property(starts, fc.uint8Array({ maxLength: 64 }), (start, rest) => {
      const size = pixelSize(bytes(start, [...rest]));
      assert.ok(size === undefined || (size.width > 0 && size.height > 0));
    }),
  );
});
