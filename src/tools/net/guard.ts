import { untilStopped } from "../../lib/time-limit.ts";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { specialUse } from "./special-addresses.ts";

export type Address = { readonly address: string; readonly family: 4 | 6 };

/** All addresses of a name. Rejects when there is none. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly Address[]>;

/** `others`: further addresses of the same name, checked as well, for when the first does not answer. */
export type Checked = Address & { readonly others: readonly Address[] };

/**
 * Says to which address a connection may be made. Whoever asks connects to what it was told and to nothing else: a
 * second look at the name could be answered differently. `refused` is a sentence for the model. Never rejects.
 */
export type NetGuard = {
  check(host: string, port: number, signal: AbortSignal): Promise<Checked | { readonly refused: string }>;
};

export type GuardOptions = {
  /** `host:port` each: what may be reached although it is not public. */
  readonly allowPrivate: readonly string[];
  readonly resolve?: Resolve;
};

/** Lets public addresses through. A name of which only one address is not public is refused whole. */
export function netGuard({ allowPrivate, resolve = systemResolve }: GuardOptions): NetGuard {
  const allowed = new Set(allowPrivate.map((entry) => entry.toLowerCase()));
  return {
    async check(written, port, signal) {
      const host = plainHost(written);
      if (host === undefined) return { refused: `"${shown(written)}" is not a host that can be reached.` };
      if (port < 1 || port > 65_535) return { refused: `${port} is not a port that can be reached.` };
      const hostPort = `${host}:${port}`;
      const mayBePrivate = allowed.has(hostPort);
      if (!mayBePrivate && isInnerName(host))
        return { refused: notPublic(hostPort, "the name of an inner host") };
      const found = await addressesOf(host, resolve, signal);
      if ("refused" in found) return found;
      const use = mayBePrivate ? undefined : firstUse([found, ...found.others]);
      return use === undefined ? found : { refused: notPublic(hostPort, use) };
    },
  };
}

/** `host:port` of an address, as `allowPrivate` names it. */
export const hostPortOf = (url: URL): string => `${plainHost(url.hostname) ?? url.hostname}:${portOf(url)}`;

export const portOf = ({ protocol, port }: URL): number =>
  port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);

/** As the parser of addresses writes it: IPv4 in decimal, IPv6 in brackets, names in ASCII and without a dot at their end. */
export function plainHost(written: string): string | undefined {
  if (/[\s/\\?#@]/.test(written)) return undefined;
  const bare = written.includes(":") && !written.startsWith("[") ? `[${written}]` : written;
  const host = URL.parse(`http://${bare}/`)?.host.replace(/\.$/, "");
  return host !== undefined && hostForm.test(host) ? host : undefined;
}

const hostForm = /^(?:\[[0-9a-f:]+\]|(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*)$/;

/** Whether the host alone, without looking it up, says that it is not public. */
export function isInnerHost(written: string): boolean {
  const host = plainHost(written);
  if (host === undefined || isInnerName(host)) return true;
  const literal = literalOf(host);
  return isIP(literal) !== 0 && specialUse(literal) !== undefined;
}

const literalOf = (host: string): string => host.replace(/^\[|\]$/g, "");

/** Names that never mean a public host, whatever they resolve to. */
const isInnerName = (host: string): boolean => innerNames.test(host);

const innerNames =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home\.arpa|svc)$|^(?:ip6-(?:localhost|loopback)|metadata|instance-data|metadata\.(?:azure|packet)\.(?:com|net))$/;

async function addressesOf(
  host: string,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<Checked | { readonly refused: string }> {
  const literal = literalOf(host);
  const family = isIP(literal);
  if (family === 4 || family === 6) return { address: literal, family, others: [] };
  try {
    // The system's own look-up cannot be stopped.
    const [first, ...others] = await untilStopped(resolve(host, signal), signal);
    return first === undefined ? { refused: `${host} has no address.` } : { ...first, others };
  } catch (error) {
    if (signal.aborted) return { refused: `the address of ${host} was not looked up any more.` };
    return { refused: `${host} could not be found (${reason(error)}). Check how the name is written.` };
  }
}

const firstUse = (addresses: readonly Address[]): string | undefined =>
  addresses.map(({ address }) => specialUse(address)).find((use) => use !== undefined);

const notPublic = (hostPort: string, use: string): string =>
  `${hostPort} is not on the public internet (${use}), and web tools reach nothing else. ` +
  `Only the person can allow it: by adding "${hostPort}" to web.allow_private in config.yaml.`;

const systemResolve: Resolve = async (name) =>
  (await lookup(name, { all: true })).map(({ address, family }) => ({
    address,
    family: family === 6 ? 6 : 4,
  }));

const reason = (error: unknown): string => {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? error.message : String(error);
};

const shown = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 100);
