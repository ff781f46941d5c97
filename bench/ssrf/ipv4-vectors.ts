import type { Random } from "../random.ts";
import { type Vector, publicHost, words } from "./vector.ts";

/** Inner addresses; the first few are where a canary sits. */
const targets = words(`
  127.0.0.1 0.0.0.0 127.0.0.1 127.1.2.3 127.255.255.254 10.0.0.1 10.255.255.255
  172.16.0.1 172.31.255.254 192.168.0.1 169.254.169.254 100.64.0.1 100.127.255.254
  192.0.0.8 192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9
  224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 0.1.2.3
`);

/** Spellings of IPv4 addresses that some parser or other takes for the address. */
export function ipv4Vectors(port: number, random: Random, each: number): readonly Vector[] {
  return targets.flatMap((target) =>
    Object.entries(spellings).flatMap(([kind, spell]) =>
      Array.from({ length: each }, () => {
        const host = spell(target, random);
        return { kind: `IPv4 ${kind}`, url: `http://${host}:${port}/`, end: "refused" as const };
      }),
    ),
  );
}

type Spell = (ipv4: string, random: Random) => string;

const spellings: Readonly<Record<string, Spell>> = {
  "plain, with a dot at its end": (ipv4, random) => `${ipv4}${random.pick(["", "."])}`,
  "mixed radices": (ipv4, random) =>
    parts(ipv4)
      .map((part) => numeral(part, random))
      .join("."),
  "short forms": (ipv4, random) =>
    joined(ipv4, random.pick([1, 2, 3]))
      .map((part) => numeral(part, random))
      .join("."),
  "percent-encoded": (ipv4, random) =>
    each(random.oneIn(2) ? ipv4 : numbersOf(ipv4, random), percent(random)),
  "digits of other scripts": (ipv4, random) => each(numbersOf(ipv4, random), foreignDigit(random)),
  "dots of other scripts": (ipv4, random) =>
    ipv4.replaceAll(".", () => random.pick(["\u3002", "\uff0e", "\uff61", "%E3%80%82"])),
  "invisible characters": (ipv4, random) =>
    each(ipv4, (letter) => letter + random.pick(["", "\u00ad", "\u200b", "\u2060", "\t", "\n", "\ufe0f"])),
  "behind a name and an @": (ipv4, random) =>
    `${random.pick([publicHost, `${publicHost}:80`, "a:b", "%40", `${publicHost}%23`])}@${numbersOf(ipv4, random)}`,
};

const parts = (ipv4: string): readonly bigint[] => ipv4.split(".").map(BigInt);

/** The last parts made one number, as old parsers allow. */
function joined(ipv4: string, count: number): readonly bigint[] {
  const all = parts(ipv4);
  return [...all.slice(0, count - 1), all.slice(count - 1).reduce((value, part) => value * 256n + part, 0n)];
}

const numbersOf = (ipv4: string, random: Random): string =>
  joined(ipv4, 1 + random.below(4))
    .map((part) => numeral(part, random))
    .join(".");

function numeral(value: bigint, random: Random): string {
  const zeros = "0".repeat(random.below(4));
  return random.pick([
    `${value}`,
    `0${zeros}${value.toString(8)}`,
    `0x${zeros}${value.toString(16)}`,
    `0X${zeros}${value.toString(16).toUpperCase()}`,
  ]);
}

const each = (text: string, change: (letter: string) => string): string => [...text].map(change).join("");

const percent = (random: Random) => (letter: string) =>
  random.oneIn(3) ? letter : `%${letter.charCodeAt(0).toString(16).padStart(2, "0")}`;

/** Full-width, circled and mathematical digits, all of which stand for the plain one in a host. */
const foreignDigit = (random: Random) => (letter: string) => {
  if (!/\d/.test(letter)) return letter;
  const digit = Number(letter);
  const circled = digit === 0 ? 0x24ea : 0x245f + digit;
  return String.fromCodePoint(
    random.pick([0xff10 + digit, 0x1d7ce + digit, 0x1d7d8 + digit, circled, 0x30 + digit]),
  );
};
