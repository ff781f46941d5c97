/**
 * Somebody with an editor: changes two files again and again, in place and by renaming. Says each save once it is done,
 * and what is not there any more when it comes back. Arguments: the home, a seed. Holds its breath at a line on stdin.
 */
import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv, stdin, stdout } from "node:process";
import { systemClock } from "../../src/lib/clock.ts";
import { lines } from "../../src/lib/rpc/jsonl.ts";
import { randomFrom } from "../random.ts";
import { byHand, files, handIn } from "./facts.ts";
import type { HandSays } from "./hand.ts";

const [, , home = "", seed = "1"] = argv;
const random = randomFrom(Number(seed));
const say = (fact: HandSays): void => void stdout.write(`${JSON.stringify(fact)}\n`);
const last = new Map<string, number>(Object.values(files).map((file) => [file, 0]));
const asked = { pause: false, end: false };
let resumed = Promise.withResolvers<void>();

void listen();
while (!asked.end) {
  if (asked.pause) {
    say({ paused: true });
    await resumed.promise;
  }
  save(random.pick(Object.values(files)));
  await systemClock.sleep(30 + random.below(120), undefined, { hold: true });
}

async function listen(): Promise<void> {
  for await (const line of lines(stdin)) {
    if (line === "pause") resumed = Promise.withResolvers();
    asked.pause = line === "pause";
    if (!asked.pause) resumed.resolve();
  }
  asked.end = true;
  resumed.resolve();
}

function save(file: string): void {
  const path = join(home, file);
  const text = readFileSync(path, "utf8");
  const known = last.get(file) ?? 0;
  if (handIn(text) !== known) say({ missing: known, file });
  const n = known + 1;
  const mine = byHand(text, n);
  if (random.oneIn(2)) {
    writeFileSync(path, mine);
  } else {
    writeFileSync(`${path}.edited`, mine);
    renameSync(`${path}.edited`, path);
  }
  last.set(file, n);
  say({ saved: n, file, hash: createHash("sha256").update(mine).digest("hex") });
}
