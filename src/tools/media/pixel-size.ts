export type PixelSize = { readonly width: number; readonly height: number };

/** What a PNG, JPEG, GIF or WebP says about itself. `undefined`: it is broken, or something else. */
export function pixelSize(bytes: Buffer): PixelSize | undefined {
  try {
    const head = bytes.toString("latin1", 0, 16);
    const size = readers.find(([isIt]) => isIt(head))?.[1](bytes);
    return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
  } catch {
    return undefined; // it ends too early
  }
}

type Reader = readonly [isIt: (head: string) => boolean, size: (bytes: Buffer) => PixelSize | undefined];

const readers: readonly Reader[] = [
  [
    (head) => head.startsWith("\u0089PNG\r\n\u001A\n") && head.endsWith("IHDR"),
    (png) => ({ width: png.readUInt32BE(16), height: png.readUInt32BE(20) }),
  ],
  [(head) => head.startsWith("\u00FF\u00D8\u00FF"), jpegSize],
  [(head) => /^GIF8[79]a/.test(head), (gif) => ({ width: gif.readUInt16LE(6), height: gif.readUInt16LE(8) })],
  [(head) => /^RIFF[^]{4}WEBP/.test(head), webpSize],
];

/** The size stands in the first segment that describes a frame; those before it are skipped. */
function jpegSize(jpeg: Buffer): PixelSize | undefined {
  for (let at = 2; ;) {
    if (jpeg.readUInt8(at) !== 0xff) return undefined;
    const marker = jpeg.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: jpeg.readUInt16BE(at + 7), height: jpeg.readUInt16BE(at + 5) };
    at += marker === 0xff ? 1 : 2 + jpeg.readUInt16BE(at + 2);
  }
}

/** Simple, lossless or extended: each says it in its own way. */
function webpSize(webp: Buffer): PixelSize | undefined {
  switch (webp.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: webp.readUInt16LE(26) & 0x3f_ff, height: webp.readUInt16LE(28) & 0x3f_ff };
    case "VP8L": {
      const bits = webp.readUInt32LE(21);
      return { width: (bits & 0x3f_ff) + 1, height: ((bits >>> 14) & 0x3f_ff) + 1 };
    }
    case "VP8X":
      return { width: webp.readUIntLE(24, 3) + 1, height: webp.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}
