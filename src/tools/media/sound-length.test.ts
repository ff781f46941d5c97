import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { mp3, wav } from "../../../test/fakes/media-service-sounds.ts";
import { soundOf } from "./sound-length.ts";

const lengthOf = (bytes: Buffer) => soundOf(bytes, bytes.length);

test("a WAV lasts as long as its samples, whatever stands before them", () => {
  assert.deepEqual(lengthOf(wav(2.5)), { format: "wav", seconds: 2.5, whole: true });
  assert.equal(lengthOf(wav(1, { extraChunk: true }))?.seconds, 1);
  assert.equal(soundOf(wav(10).subarray(0, 100), wav(10).length)?.seconds, 10, "its first bytes are enough");
});

test("a WAV of somebody who could not know its length lasts as long as what came", () => {
  assert.deepEqual(lengthOf(wav(3, { announced: 0xff_ff_ff_ff })), {
    format: "wav",
    seconds: 3,
    whole: true,
  });
});

test("a WAV that breaks off says so", () => {
  const half = wav(2).subarray(0, 44 + 22_050 * 2);
  assert.deepEqual(lengthOf(half), { format: "wav", seconds: 1, whole: false });
});

test("an MP3 lasts as long as its frames, with and without words before them", () => {
  const plain = lengthOf(mp3(100));
  assert.equal(plain?.format, "mp3");
  assert.ok(Math.abs((plain?.seconds ?? 0) - (100 * 1152) / 44_100) < 0.001);
  assert.equal(
    lengthOf(Buffer.concat([Buffer.from("ID3\x04\0\0\0\0\x01\x00", "latin1"), Buffer.alloc(128), mp3(100)]))
      ?.seconds,
    plain?.seconds,
  );
});

test("anything else is no sound, and nothing makes it throw", () => {
  assert.equal(lengthOf(Buffer.from("<html><body>no</body></html>")), undefined);
  assert.equal(lengthOf(Buffer.from('{"error":"no"}')), undefined);
  const starts = fc.constantFrom(
    "RIFF\0\0\0\0WAVE",
    "RIFF\0\0\0\0WAVEdata",
    "ID3\x04\0\0",
    "\xff\xfb\x90",
    "OggS",
    "",
  );
  fc.assert(
    fc.property(starts, fc.uint8Array({ maxLength: 200 }), (start, rest) => {
      const sound = lengthOf(Buffer.concat([Buffer.from(start, "latin1"), rest]));
      assert.ok(sound === undefined || (Number.isFinite(sound.seconds) && sound.seconds >= 0));
    }),
  );
});
