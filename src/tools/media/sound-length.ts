/** `whole: false`: it breaks off before the end that it announces. */
export type Sound = { readonly format: "wav" | "mp3"; readonly seconds: number; readonly whole: boolean };

/** How long a sound lasts, by its content. `start`: its first bytes, for mp3 all of them. `undefined`: no WAV, no MP3. */
export function soundOf(start: Buffer, size: number): Sound | undefined {
  return wavOf(start, size) ?? mp3Of(start);
}

/** Who writes into a pipe cannot know the length, and announces the largest. */
const unknownLength = 0x7f_ff_00_00;

function wavOf(start: Buffer, size: number): Sound | undefined {
  if (!/^RIFF[^]{4}WAVE/.test(start.toString("latin1", 0, 12))) return undefined;
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= start.length;) {
    const id = start.toString("latin1", at, at + 4);
    const length = start.readUInt32LE(at + 4);
    const body = at + 8;
    if (id === "fmt " && body + 12 <= start.length) bytesPerSecond = start.readUInt32LE(body + 8);
    if (id === "data") {
      if (bytesPerSecond === 0) return undefined;
      const there = Math.max(0, size - body);
      const whole = length <= there || length >= unknownLength;
      return { format: "wav", seconds: Math.min(length, there) / bytesPerSecond, whole };
    }
    at = body + length + (length % 2);
  }
  return undefined;
}

/** Goes from frame to frame, because only that is right for every bit rate. */
function mp3Of(bytes: Buffer): Sound | undefined {
  let at = tagLength(bytes);
  const isTagged = at > 0;
  let seconds = 0;
  let frames = 0;
  while (at + 4 <= bytes.length) {
    const frame = frameAt(bytes, at);
    if (frame === undefined) break;
    seconds += frame.seconds;
    frames += 1;
    at += frame.bytes;
  }
  // Two frames in a row are no accident; other bytes may look like one.
  if (frames === 0 || (frames === 1 && !isTagged && at < bytes.length)) return undefined;
  return { format: "mp3", seconds, whole: at <= bytes.length };
}

/** Of the words before the first frame; each byte of the length holds seven bits. */
function tagLength(bytes: Buffer): number {
  if (bytes.length < 10 || bytes.toString("latin1", 0, 3) !== "ID3") return 0;
  return bytes.subarray(6, 10).reduce((length, byte) => length * 128 + (byte & 0x7f), 0) + 10;
}

function frameAt(
  bytes: Buffer,
  at: number,
): { readonly bytes: number; readonly seconds: number } | undefined {
  const header = bytes.readUInt32BE(at);
  const version = (header >>> 19) & 3;
  const isLayer3 = header >>> 21 === 0x7_ff && ((header >>> 17) & 3) === 1 && version !== 1;
  const isFirst = version === 3;
  const kbps = (isFirst ? rates1 : rates2)[(header >>> 12) & 15] ?? 0;
  const hertz = (sampleRates[(header >>> 10) & 3] ?? 0) / (isFirst ? 1 : version === 2 ? 2 : 4);
  if (!isLayer3 || kbps === 0 || hertz === 0) return undefined;
  const samples = isFirst ? 1152 : 576;
  const padding = (header >>> 9) & 1;
  return { bytes: Math.floor((samples / 8) * ((kbps * 1000) / hertz)) + padding, seconds: samples / hertz };
}

const sampleRates = [44_100, 48_000, 32_000];
const rates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const rates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
