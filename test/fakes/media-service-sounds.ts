/** A WAV of a tone, 16 bits, one channel. `announced`: how many bytes of samples its head claims. */
export function wav(
  seconds: number,
  options: { readonly announced?: number; readonly extraChunk?: boolean } = {},
): Buffer {
  const rate = 22_050;
  const samples = Buffer.alloc(Math.round(seconds * rate) * 2);
  for (let at = 0; at < samples.length; at += 2)
    samples.writeInt16LE(Math.round(9000 * Math.sin(at / 20)), at);
  const format = Buffer.alloc(16);
  format.writeUInt16LE(1, 0);
  format.writeUInt16LE(1, 2);
  format.writeUInt32LE(rate, 4);
  format.writeUInt32LE(rate * 2, 8);
  format.writeUInt16LE(2, 12);
  format.writeUInt16LE(16, 14);
  const extra = options.extraChunk === true ? [chunk("LIST", Buffer.from("odd"), 3), Buffer.alloc(1)] : [];
  const data = chunk("data", samples, options.announced);
  const body = Buffer.concat([Buffer.from("WAVE"), chunk("fmt ", format), ...extra, data]);
  return chunk("RIFF", body);
}

function chunk(id: string, data: Buffer, length = data.length): Buffer {
  const head = Buffer.alloc(8);
  head.write(id, "latin1");
  head.writeUInt32LE(length, 4);
  return Buffer.concat([head, data]);
}

/** Silent frames of MPEG 1, layer 3, 128 kbit/s, 44,100 Hz. */
export const mp3 = (frames: number): Buffer =>
  Buffer.concat(
    Array.from({ length: frames }, () =>
      Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413)]),
    ),
  );
