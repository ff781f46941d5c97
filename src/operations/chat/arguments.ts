import type { Compress } from "../../core/compaction.ts";
import { oneLine } from "../../core/plain-text.ts";

/** A whole number from 1 to `max`; `fallback` for no argument, undefined for anything else. */
export function parseCount(arg: string, fallback: number, max: number): number | undefined {
  if (arg === "") return fallback;
  const number = /^\d{1,9}$/.test(arg) ? Number(arg) : 0;
  return number >= 1 && number <= max ? number : undefined;
}

/** What the words after `/compress` ask for. Anything that is not one of its own words is a focus. */
export function parseCompress(words: string): Compress {
  if (words === "") return { do: "compress" };
  if (words === "undo") return { do: "undo" };
  if (words === "pin" || words === "pins") return { do: "pins" };
  const pin = /^pin\s+(\S[\s\S]*)$/.exec(words)?.[1];
  if (pin !== undefined) return { do: "pin", text: oneLine(pin) };
  const unpin = /^unpin\s+(\d+)$/.exec(words)?.[1];
  if (unpin !== undefined) return { do: "unpin", number: Number(unpin) };
  return { do: "compress", focus: words };
}
