import type { Random } from "../random.ts";
import { type Vector, publicAddress, publicHost, redirecting, refreshing } from "./vector.ts";

const statuses = [301, 302, 303, 307, 308] as const;

/** Public pages that lead to where the others lead directly: `inside` are such addresses. */
export function redirectVectors(
  port: number,
  random: Random,
  inside: readonly Vector[],
  each: number,
): readonly Vector[] {
  const repeated = <T>(make: () => T): readonly T[] => Array.from({ length: each }, make);
  const refused = inside.filter(({ end }) => end === "refused");
  return [
    ...statuses.flatMap((status) =>
      repeated(() => led(`redirect ${status}`, random.pick(refused), [status], port)),
    ),
    ...repeated(() =>
      led("a chain of redirects", random.pick(refused), chain(random, 2 + random.below(4)), port),
    ),
    ...repeated(() => protocolRelative(port, random)),
    ...repeated(() => endless(port, random)),
    ...repeated(() => refresh(port, random, random.pick(refused).url)),
    ...repeated(() => relative(port, random)),
  ];
}

const chain = (random: Random, length: number): readonly number[] =>
  Array.from({ length }, () => random.pick(statuses));

function led(kind: string, target: Vector, steps: readonly number[], port: number): Vector {
  return { ...target, kind, url: redirecting(port, steps, target.url) };
}

function protocolRelative(port: number, random: Random): Vector {
  const host = random.pick(["127.0.0.1", "[::1]", "localhost", "2130706433", "0x7f.1", "0"]);
  const target = random.pick([
    `//${host}:${port}/`,
    `\\\\${host}:${port}/`,
    `/\\${host}:${port}/`,
    `///${host}:${port}/`,
  ]);
  const url = redirecting(port, [random.pick(statuses)], target);
  return { kind: "a redirect without a scheme", url, end: "refused" };
}

function endless(port: number, random: Random): Vector {
  const url = redirecting(port, chain(random, 6 + random.below(4)), `http://127.0.0.1:${port}/`);
  return { kind: "too many redirects", url, end: "refused" };
}

/** A reader does not do what a page asks of browsers. */
function refresh(port: number, random: Random, target: string): Vector {
  const url = refreshing(port, random.pick(["meta", "header"]), target);
  return { kind: "a refresh", url, end: "answered" };
}

/** The same host again is looked up again, and may be somewhere else by then. */
function relative(port: number, random: Random): Vector {
  const name = `r${random.below(1_000_000)}.${publicHost}`;
  const url = redirecting(port, [random.pick(statuses)], "/next", name);
  const names = { [name]: [[publicAddress], [random.pick(["127.0.0.1", "::1", "0.0.0.0"])]] };
  return { kind: "a redirect to the same name, which has moved", url, names, end: "refused" };
}
