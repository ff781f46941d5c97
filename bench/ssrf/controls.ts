import { request } from "node:http";
import { systemClock } from "../../src/lib/clock.ts";
import { netGuard } from "../../src/tools/net/guard.ts";
import { guardedFetch } from "../../src/tools/net/guarded-fetch.ts";
import type { World } from "./world.ts";

/** `open`: spellings by which a plain request reached a canary. `allowed`: hits that one entry of allow_private let happen. */
export type Controls = { readonly open: number; readonly tried: number; readonly allowed: number };

/** Proves that a canary would be hit, and that an entry opens one door and no second. */
export async function controls(world: World): Promise<Controls> {
  const { port } = world;
  const spellings = [
    "127.0.0.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "0",
    "[::1]",
    "[::ffff:7f00:1]",
  ];
  const tried = spellings.filter((host) => world.canaries.length > 1 || !host.startsWith("[::1"));
  const before = world.hits();
  for (const host of tried) await plainRequest(`http://${host}:${port}/`);
  const open = world.hits() - before;
  return { tried: tried.length, open, allowed: await allowedHits(world) };
}

async function allowedHits(world: World): Promise<number> {
  const { port } = world;
  const guard = netGuard({ allowPrivate: [`127.0.0.1:${port}`] });
  const before = world.hits();
  const doors = [
    `http://127.0.0.1:${port}/`,
    `http://[::1]:${port}/`,
    `http://localhost:${port}/`,
    `http://0.0.0.0:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
  ];
  for (const url of doors) {
    await guardedFetch(url, { guard, clock: systemClock, signal: new AbortController().signal });
  }
  return world.hits() - before;
}

const plainRequest = (url: string): Promise<void> =>
  new Promise((resolve) => {
    request(new URL(url), { agent: false }, (response) => response.resume().once("close", resolve))
      .on("error", () => resolve())
      .end();
  });
