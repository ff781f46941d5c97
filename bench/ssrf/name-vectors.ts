import type { Random } from "../random.ts";
import { type Vector, publicAddress, publicHost, words } from "./vector.ts";

/** Names that mean an inner host, and names that resolve to one. */
export function nameVectors(port: number, random: Random, each: number): readonly Vector[] {
  const repeated = <T>(make: () => T): readonly T[] => Array.from({ length: each }, make);
  return [
    ...repeated(() => innerName(port, random)),
    ...repeated(() => resolved(port, random, "a name of an inner address", [random.pick(innerAddresses)])),
    ...repeated(() => resolved(port, random, "a name of mixed addresses", mixed(random))),
    ...repeated(() => resolved(port, random, "a name of something else", random.pick(nonsense))),
    ...repeated(() => trick(port, random)),
    ...repeated(() => scheme(port, random)),
  ];
}

const innerAddresses = words(`
  127.0.0.1 ::1 0.0.0.0 :: ::ffff:127.0.0.1 ::ffff:7f00:1 64:ff9b::7f00:1 ::127.0.0.1
  10.1.2.3 192.168.1.1 169.254.169.254 fe80::1 fe80::1%lo fd00::1 2002:7f00:1::
  100.100.1.1
`);

const nonsense: readonly (readonly string[])[] = [
  [],
  ["localhost"],
  ["2130706433"],
  ["0x7f.1"],
  [""],
  ["127.1"],
];

const names = words(`
  localhost a.localhost localhost.localdomain ip6-localhost printer.local db.internal
  metadata.google.internal metadata instance-data kubernetes.default.svc nas.lan
  router.home.arpa
`);

/** Whatever they resolve to: here to a public address. */
function innerName(port: number, random: Random): Vector {
  const name = random.pick(names);
  const cased = [...name].map((letter) => (random.oneIn(3) ? letter.toUpperCase() : letter)).join("");
  const wide = cased.replace(/[a-z]/, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0));
  const host = `${random.pick([cased, wide, percented(cased)])}${random.pick(["", "."])}`;
  return {
    kind: "an inner name",
    url: `http://${host}:${port}/`,
    names: { [name]: [[publicAddress]] },
    end: "refused",
  };
}

const percented = (text: string): string => text.replace("o", "%6f");

function resolved(port: number, random: Random, kind: string, addresses: readonly string[]): Vector {
  const name = `h${random.below(1_000_000)}.example.test`;
  return { kind, url: `http://${name}:${port}/`, names: { [name]: [addresses] }, end: "refused" };
}

function mixed(random: Random): readonly string[] {
  const others = Array.from({ length: 1 + random.below(4) }, () =>
    random.pick([publicAddress, "2606:2800:220:1::1"]),
  );
  const at = random.below(others.length + 1);
  return [...others.slice(0, at), random.pick(innerAddresses), ...others.slice(at)];
}

/** Readers disagree on where the host of these ends. Whoever is right: not at a canary. */
function trick(port: number, random: Random): Vector {
  const inside = `${random.pick(["127.0.0.1", "[::1]", "localhost", "0", "127.1"])}:${port}`;
  const outside = `${publicHost}:${port}`;
  const url = random.pick([
    `http://${outside}#@${inside}/`,
    `http://${outside}?@${inside}/`,
    `http://${outside}\\@${inside}/`,
    `http://${inside}\\@${outside}/`,
    `http://${outside}/@${inside}/`,
    `http://${inside}#.${outside}/`,
    `http://${outside}@${inside}/`,
    `http://${inside}@${outside}/`,
    `http://${inside}%2f@${outside}/`,
    `http://${publicHost} ${inside}/`,
    `http:${inside}/`,
    `http:/${inside}/`,
    `http:\\\\${inside}/`,
    `http:///${inside}/`,
    `ht\ttp://${inside}/`,
    ` \n http://${inside}/`,
    `http://${inside.replace(`:${port}`, `:0000${port}`)}/`,
    `http://${outside}%00.${inside}/`,
    `//${inside}/`,
    `http://[${inside.replaceAll(/[[\]]/g, "")}]/`,
  ]);
  return { kind: "a host that readers disagree on", url, end: "either" };
}

function scheme(port: number, random: Random): Vector {
  const name = random.pick([
    "file",
    "ftp",
    "gopher",
    "ws",
    "wss",
    "dict",
    "ldap",
    "tftp",
    "jar:http",
    "view-source:http",
    "data",
    "blob:http",
    "unix",
    "javascript",
  ]);
  const host = random.pick(["127.0.0.1", "[::1]", "localhost", publicHost, "0", ""]);
  return { kind: "another scheme", url: `${name}://${host}:${port}/`, end: "refused" };
}
