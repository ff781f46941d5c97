import type { Random } from "../random.ts";
import type { Vector } from "./vector.ts";

type Groups = readonly number[];

/** Inner IPv6 addresses, as eight groups; `at` is an inner IPv4 address as two groups. */
const families: Readonly<Record<string, (at: readonly [number, number], random: Random) => Groups>> = {
  "this machine": () => [0, 0, 0, 0, 0, 0, 0, 1],
  unspecified: () => [0, 0, 0, 0, 0, 0, 0, 0],
  mapped: (at) => [0, 0, 0, 0, 0, 0xffff, ...at],
  translated: (at) => [0, 0, 0, 0, 0xffff, 0, ...at],
  compatible: (at) => [0, 0, 0, 0, 0, 0, ...at],
  "6to4": ([high, low], random) => [0x2002, high, low, ...groups(random, 5)],
  NAT64: (at) => [0x64, 0xff9b, 0, 0, 0, 0, ...at],
  "local NAT64": (at, random) => [0x64, 0xff9b, 1, ...groups(random, 3), ...at],
  Teredo: ([high, low], random) => [0x2001, 0, ...groups(random, 4), high ^ 0xffff, low ^ 0xffff],
  "unique local": (_at, random) => [0xfc00 | random.below(512), ...groups(random, 7)],
  "link local": (_at, random) => [0xfe80 | random.below(64), ...groups(random, 7)],
  "site local": (_at, random) => [0xfec0 | random.below(64), ...groups(random, 7)],
  multicast: (_at, random) => [0xff00 | random.below(256), ...groups(random, 7)],
  examples: (_at, random) => [0x2001, 0xdb8, ...groups(random, 6)],
  discard: (_at, random) => [0x100, 0, 0, 0, ...groups(random, 4)],
  unassigned: (_at, random) => [0x4000 + random.below(0xb000), ...groups(random, 7)],
};

const inner: readonly (readonly [number, number])[] = [
  [0x7f00, 1],
  [0, 0],
  [0xa00, 1],
  [0xa9fe, 0xa9fe],
  [0xc0a8, 1],
  [0xac10, 1],
  [0x6440, 1],
];

/** Spellings of inner IPv6 addresses. */
export function ipv6Vectors(port: number, random: Random, each: number): readonly Vector[] {
  return Object.entries(families).flatMap(([kind, make]) =>
    Array.from({ length: each }, () => {
      const host = spelt(make(random.pick(inner), random), random);
      return { kind: `IPv6 ${kind}`, url: `http://[${host}]:${port}/`, end: "refused" as const };
    }),
  );
}

const groups = (random: Random, count: number): Groups =>
  Array.from({ length: count }, () => random.below(0x1_00_00));

function spelt(address: Groups, random: Random): string {
  const dotted = random.oneIn(3);
  const written = (dotted ? address.slice(0, 6) : address).map((group) => written16(group, random));
  const tail = dotted ? [dottedEnd(address)] : [];
  const text = abbreviated([...written, ...tail], random);
  return `${text}${random.oneIn(8) ? random.pick(["%25lo", "%lo", "%251", "%25eth0"]) : ""}`;
}

function written16(group: number, random: Random): string {
  const hex = group.toString(16).padStart(random.pick([1, 1, 4]), "0");
  return random.oneIn(2) ? hex : hex.toUpperCase();
}

function dottedEnd(address: Groups): string {
  const [high = 0, low = 0] = address.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** Any run of zeros may be left out, once. */
function abbreviated(written: readonly string[], random: Random): string {
  const zero = written.map((group) => /^0+$/.test(group));
  const starts = zero.flatMap((isZero, at) => (isZero ? [at] : []));
  if (starts.length === 0 || random.oneIn(4)) return written.join(":");
  const start = random.pick(starts);
  const after = zero.slice(start).findIndex((isZero) => !isZero);
  const end = after === -1 ? written.length : start + after;
  return `${written.slice(0, start).join(":")}::${written.slice(end).join(":")}`;
}
