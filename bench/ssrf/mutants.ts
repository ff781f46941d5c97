import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { type NetGuard, type Resolve, netGuard, plainHost } from "../../src/tools/net/guard.ts";
import type { MakeGuard } from "./ssrf-run.ts";

/** Guards as they must not be. Each lets a canary be hit, or the bench would not notice it missing. */
export const mutants: Readonly<Record<string, MakeGuard>> = {
  "does not look at ranges": ({ resolve = viaSystem }) => ({
    check: (host, _port, signal) => found(host, resolve, signal),
  }),
  "looks only at what is written": ({ resolve = viaSystem }) => {
    const literal = netGuard({ allowPrivate: [] });
    return {
      check: async (host, port, signal) =>
        isIP(host.replace(/^\[|\]$/g, "")) === 0
          ? found(host, resolve, signal)
          : literal.check(host, port, signal),
    };
  },
  "looks at the first address of a redirect only": (options) => {
    const guard = netGuard(options);
    let first = true;
    return {
      async check(host, port, signal) {
        const checked = first
          ? guard.check(host, port, signal)
          : found(host, options.resolve ?? viaSystem, signal);
        first = false;
        return await checked;
      },
    };
  },
  "looks the name up again to connect": (options) => {
    const guard = netGuard(options);
    return {
      async check(host, port, signal) {
        const checked = await guard.check(host, port, signal);
        return "refused" in checked ? checked : await found(host, options.resolve ?? viaSystem, signal);
      },
    };
  },
  "checks one address of a name and uses another": ({ resolve = viaSystem }) => ({
    async check(host, port, signal) {
      const all = await found(host, resolve, signal);
      if ("refused" in all) return all;
      const one = netGuard({ allowPrivate: [], resolve: async () => [all] });
      const checked = await one.check(host, port, signal);
      const [last] = all.others.slice(-1);
      return "refused" in checked || last === undefined ? checked : { ...last, others: [] };
    },
  }),
};

async function found(host: string, resolve: Resolve, signal: AbortSignal): ReturnType<NetGuard["check"]> {
  const plain = (plainHost(host) ?? host).replace(/^\[|\]$/g, "");
  const family = isIP(plain);
  if (family === 4 || family === 6) return { address: plain, family, others: [] };
  const [first, ...others] = await resolve(plain, signal).catch(() => []);
  return first === undefined ? { refused: "it has no address." } : { ...first, others };
}

const viaSystem: Resolve = async (name) =>
  (await lookup(name, { all: true })).map(({ address, family }) => ({
    address,
    family: family === 6 ? 6 : 4,
  }));
