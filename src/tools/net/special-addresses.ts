import { isIPv4, isIPv6 } from "node:net";

/**
 * What an address is for, when it is not one of the public internet: "this machine", "a private network"… It takes IPv4
 * as four decimal numbers and IPv6 in any spelling; what it cannot read is not public.
 */
export function specialUse(address: string): string | undefined {
  known ??= {
    ipv4: ranges(32n, bytesOf, ipv4Uses),
    ipv6: ranges(128n, ipv6Value, ipv6Uses),
    carriers: ranges(128n, ipv6Value, ipv4Carriers),
  };
  if (isIPv4(address)) return useOf(bytesOf(address), known.ipv4);
  const value = ipv6Value(address);
  if (value === undefined) return "something that is not an address";
  if (known.carriers.some((range) => holds(range, value))) return specialUse(lastFourBytes(value));
  return useOf(value, known.ipv6) ?? (holds(globalUnicast, value) ? undefined : "a reserved range");
}

/** Read with the first address: most starts of the program look at none. */
let known: Readonly<Record<"ipv4" | "ipv6" | "carriers", readonly Range[]>> | undefined;

type Range = {
  readonly value: bigint;
  /** How many bits at the end may be anything. */
  readonly free: bigint;
  readonly use: string;
};

const useOf = (value: bigint, among: readonly Range[]): string | undefined =>
  among.find((range) => holds(range, value))?.use;

const holds = ({ value, free }: Range, other: bigint): boolean => other >> free === value >> free;

const bytesOf = (ipv4: string): bigint =>
  ipv4.split(".").reduce((value, byte) => value * 256n + BigInt(byte), 0n);

const lastFourBytes = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");

/** The parser of addresses writes it in one way, so that only its abbreviation is left to undo. */
function ipv6Value(address: string): bigint | undefined {
  if (!isIPv6(address)) return undefined; // an @ in it would end up as another host
  const plain = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1);
  if (plain === undefined) return undefined;
  const [head = [], tail = []] = plain.split("::").map((side) => side.split(":").filter(Boolean));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return [...head, ...zeros, ...tail].reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n);
}

function ranges(
  width: bigint,
  read: (address: string) => bigint | undefined,
  table: Readonly<Record<string, string>>,
): readonly Range[] {
  return Object.entries(table).map(([written, use]) => {
    const [address = "", bits = ""] = written.split("/");
    return { value: read(address) ?? 0n, free: width - BigInt(bits), use };
  });
}

const ipv4Uses = {
  "0.0.0.0/8": "this machine",
  "10.0.0.0/8": "a private network",
  "100.64.0.0/10": "the network of a provider or of a VPN",
  "127.0.0.0/8": "this machine",
  "169.254.0.0/16": "the local link, where clouds keep their metadata",
  "172.16.0.0/12": "a private network",
  "192.0.0.0/24": "a reserved range",
  "192.0.2.0/24": "a range for examples",
  "192.88.99.0/24": "a reserved range",
  "192.168.0.0/16": "a private network",
  "198.18.0.0/15": "a range for measurements",
  "198.51.100.0/24": "a range for examples",
  "203.0.113.0/24": "a range for examples",
  "224.0.0.0/4": "a range for many receivers",
  "240.0.0.0/4": "a reserved range",
};

/** Tunnels are refused whatever they lead to: nothing public is reached by them alone. */
const ipv6Uses = {
  "::1/128": "this machine",
  "::/128": "this machine",
  "::/96": "an IPv4 address in disguise",
  "64:ff9b:1::/48": "a private network",
  "100::/64": "a reserved range",
  "2001::/32": "a tunnel",
  "2001::/23": "a reserved range",
  "2001:db8::/32": "a range for examples",
  "2002::/16": "a tunnel",
  "3fff::/20": "a range for examples",
  "fc00::/7": "a private network",
  "fe80::/10": "the local link",
  "fec0::/10": "a private network",
  "ff00::/8": "a range for many receivers",
};

/** IPv6 addresses that end at the IPv4 address in their last four bytes: mapped ones and NAT64. */
const ipv4Carriers = { "::ffff:0:0/96": "", "64:ff9b::/96": "" };

const globalUnicast: Range = { value: 0x2n << 124n, free: 125n, use: "" };
