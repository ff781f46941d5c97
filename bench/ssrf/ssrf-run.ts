import { systemClock } from "../../src/lib/clock.ts";
import { type GuardOptions, type NetGuard, type Resolve, netGuard } from "../../src/tools/net/guard.ts";
import { guardedFetch } from "../../src/tools/net/guarded-fetch.ts";
import { randomFrom } from "../random.ts";
import { ipv4Vectors } from "./ipv4-vectors.ts";
import { ipv6Vectors } from "./ipv6-vectors.ts";
import { nameVectors } from "./name-vectors.ts";
import { isLoopback, isPublic } from "./oracle.ts";
import { rebindingVectors } from "./rebinding-vectors.ts";
import { redirectVectors } from "./redirect-vectors.ts";
import { type Vector, publicAddress, publicHost } from "./vector.ts";
import type { World } from "./world.ts";

export type SsrfRun = {
  readonly vectors: number;
  readonly kinds: Readonly<Record<string, number>>;
  /** Connections to a canary. */
  readonly hits: number;
  /** What the guard let through although it is not public. */
  readonly letThrough: readonly string[];
  /** Vectors that did not end as they have to. */
  readonly wrong: readonly string[];
  readonly answered: number;
};

export type MakeGuard = (options: GuardOptions) => NetGuard;

const atOnce = 16;

/** How many of each kind of vector. */
export type Counts = Readonly<Record<"ipv4" | "ipv6" | "names" | "redirects" | "rebinding", number>>;

export function allVectors(port: number, seed: number, of: Counts): readonly Vector[] {
  const random = randomFrom(seed);
  const direct = [
    ...ipv4Vectors(port, random, of.ipv4),
    ...ipv6Vectors(port, random, of.ipv6),
    ...nameVectors(port, random, of.names),
  ];
  return different([
    ...direct,
    ...redirectVectors(port, random, direct, of.redirects),
    ...rebindingVectors(port, random, of.rebinding),
  ]);
}

const different = (vectors: readonly Vector[]): readonly Vector[] => [
  ...new Map(vectors.map((vector) => [JSON.stringify([vector.url, vector.names]), vector])).values(),
];

/** Fetches them all with the real fetch, over an internet that is simulated behind the guard. */
export async function ssrfRun(
  world: World,
  vectors: readonly Vector[],
  makeGuard: MakeGuard = netGuard,
): Promise<SsrfRun> {
  const [hitsBefore, answeredBefore] = [world.hits(), world.answered()];
  const kinds: Record<string, number> = {};
  const letThrough: string[] = [];
  const wrong: string[] = [];
  const queue = vectors.values();
  const work = async (): Promise<void> => {
    for (const vector of queue) {
      kinds[vector.kind] = (kinds[vector.kind] ?? 0) + 1;
      const guard = overInternet(
        makeGuard({ allowPrivate: [], resolve: stubResolve(vector) }),
        world,
        letThrough,
      );
      const signal = new AbortController().signal;
      const fetched = await guardedFetch(vector.url, {
        guard,
        clock: systemClock,
        signal,
        timeoutMs: 20_000,
      });
      const end = fetched.ok ? "answered" : "refused";
      const reached = fetched.ok && Buffer.from(fetched.body).toString() === "canary";
      if (reached || (vector.end !== "either" && vector.end !== end)) {
        wrong.push(`${vector.kind}: ${vector.url.slice(0, 120)} ended ${reached ? "at a canary" : end}`);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return {
    vectors: vectors.length,
    kinds,
    hits: world.hits() - hitsBefore,
    letThrough,
    wrong,
    answered: world.answered() - answeredBefore,
  };
}

/** Answers as the vector says, call by call. */
function stubResolve({ names = {} }: Vector): Resolve {
  const calls = new Map<string, number>();
  return async (name) => {
    const call = calls.get(name) ?? 0;
    calls.set(name, call + 1);
    const script = names[name] ?? (name.endsWith(publicHost) ? [[publicAddress]] : []);
    const addresses = script[Math.min(call, script.length - 1)];
    if (addresses === undefined) throw Object.assign(new Error("unknown"), { code: "ENOTFOUND" });
    return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
}

/** What is public is moved to the simulated internet; of what is not, only this machine is really connected to. */
const overInternet = (guard: NetGuard, world: World, letThrough: string[]): NetGuard => ({
  async check(host, port, signal) {
    const checked = await guard.check(host, port, signal);
    if ("refused" in checked) return checked;
    const [first, ...others] = [checked, ...checked.others].flatMap(({ address, family }) => {
      if (isPublic(address)) return [{ address: world.internet, family: 4 as const }];
      letThrough.push(`${host} at ${address}`);
      return isLoopback(address) ? [{ address, family }] : [];
    });
    return first === undefined ? { refused: "no address is left to connect to." } : { ...first, others };
  },
});
