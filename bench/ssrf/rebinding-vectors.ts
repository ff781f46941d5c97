import type { Random } from "../random.ts";
import { type Vector, publicAddress, publicHost, redirecting } from "./vector.ts";

const inside = ["127.0.0.1", "::1", "0.0.0.0", "::ffff:127.0.0.1"];

/** Names that are public when they are checked, and this machine when somebody looks again. */
export function rebindingVectors(port: number, random: Random, each: number): readonly Vector[] {
  return Array.from({ length: each }, (_, at) => {
    const name = `rebind${at}.${publicHost}`;
    const flips = [
      ...Array.from({ length: 1 + random.below(2) }, () => [publicAddress]),
      [random.pick(inside)],
    ];
    if (random.oneIn(3)) return later(port, name, random);
    return {
      kind: "a name that moves after the check",
      url: `http://${name}:${port}/`,
      names: { [name]: flips.slice(-2) },
      end: "answered" as const,
    };
  });
}

function later(port: number, name: string, random: Random): Vector {
  return {
    kind: "a redirect to a name that moves after the check",
    url: redirecting(port, [302], `http://${name}:${port}/`),
    names: { [name]: [[publicAddress], [random.pick(inside)]] },
    end: "answered",
  };
}
