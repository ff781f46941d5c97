import { createHash } from "node:crypto";

export type Ids = {
  /** Looks like the time-ordered UUIDs of codex. */
  uuid(): string;
  /** `call_…`, `msg_…`. */
  short(name: string): string;
};

/** Different in every process of a home, the same in every run of a script. */
export function seededIds(seed: number, process: number): Ids {
  let last = 0;
  const next = (): string =>
    createHash("sha256")
      .update(`${seed}/${process}/${(last += 1)}`)
      .digest("hex");
  return {
    uuid() {
      const hex = next();
      const time = (process * 0x1000000 + last).toString(16).padStart(12, "0");
      return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(0, 3)}-8${hex.slice(3, 6)}-${hex.slice(6, 18)}`;
    },
    short: (name) => `${name}_${next().slice(0, 12)}`,
  };
}

/** Lines that no reader can make sense of, of several kinds. */
export function garbageLines(seed: number, count: number): readonly Buffer[] {
  const kinds = [
    "{not json",
    '{"method":"item/completed","params":{"item":',
    "\u0000\u0001\u0002 nul and others",
    "\ufeff[1,2,3]",
    '"just a string"',
    "null",
    "\u2028 line separator \u2029",
    '{"id":{},"result":1}',
    "",
  ];
  return Array.from({ length: count }, (_, at) => {
    const text = kinds[(seed + at) % kinds.length] ?? "";
    const bytes = Buffer.from(`${text}${at}\n`);
    return at % 4 === 3 ? Buffer.concat([Buffer.from([0xff, 0xfe, 0xc3]), bytes]) : bytes;
  });
}
