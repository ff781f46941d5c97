import type { Compress } from "../../core/compaction.ts";
import { oneLine } from "../../core/plain-text.ts";

/** What the words after `/compress` ask for. Whatever is no other word of it is a focus. */
export function compressAsked(words: string): Compress {
  if (words === "") return { do: "compress" };
  if (words === "undo") return { do: "undo" };
  if (words === "pin" || words === "pins") return { do: "pins" };
  const pin = /^pin\s+(\S[\s\S]*)$/.exec(words)?.[1];
  if (pin !== undefined) return { do: "pin", text: oneLine(pin) };
  const unpin = /^unpin\s+(\d+)$/.exec(words)?.[1];
  if (unpin !== undefined) return { do: "unpin", number: Number(unpin) };
  return { do: "compress", focus: words };
}
