import { BlockList, isIPv4, isIPv6 } from "node:net";
import { words } from "./vector.ts";

/** Whether an address is public, judged without the code under test: by Node's own lists of ranges. */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, "ipv4");
  if (!isIPv6(address)) return false;
  const plain = URL.parse(`http://[${address}]/`)?.hostname ?? "";
  const inner = /^\[(?:::ffff|64:ff9b:):([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(plain);
  if (inner !== null) return isPublic(ipv4(inner[1] ?? "", inner[2] ?? ""));
  return global.check(address, "ipv6") && !special.check(address, "ipv6");
}

/** Whether this machine itself answers there, so that a canary can be hit. */
export const isLoopback = (address: string): boolean =>
  loopback.check(address, isIPv4(address) ? "ipv4" : "ipv6");

function ipv4(high: string, low: string): string {
  const bytes = Buffer.from(high.padStart(4, "0") + low.padStart(4, "0"), "hex");
  return [...bytes].join(".");
}

const list = (ipv4s: readonly string[], ipv6s: readonly string[]): BlockList => {
  const made = new BlockList();
  const add = (family: "ipv4" | "ipv6") => (range: string) => {
    const [network = "", bits = ""] = range.split("/");
    made.addSubnet(network, Number(bits), family);
  };
  ipv4s.forEach(add("ipv4"));
  ipv6s.forEach(add("ipv6"));
  return made;
};

const special = list(
  words(`
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12
  192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24
  203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
`),
  ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"],
);
const global = list([], ["2000::/3"]);
const loopback = list(["127.0.0.0/8", "0.0.0.0/32"], ["::1/128", "::/128", "::ffff:127.0.0.0/104"]);
