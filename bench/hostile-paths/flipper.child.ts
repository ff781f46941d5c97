/** Makes a folder and a file into links that lead out, and back, as fast as it can, until its input ends. */
import { renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { argv, stdin, stdout } from "node:process";

const [, , cwd = "", outside = ""] = argv;
const swapped = [
  { here: join(cwd, "flip"), away: join(cwd, "flip-away"), to: outside },
  { here: join(cwd, "flip.txt"), away: join(cwd, "flip-away.txt"), to: join(outside, "a") },
];
const pause = new Int32Array(new SharedArrayBuffer(4));
let flips = 0;
let over = false;

function flip({ here, away, to }: (typeof swapped)[number]): void {
  tried(() => renameSync(here, away));
  if (tried(() => symlinkSync(to, here))) flips += 1;
  tried(() => rmSync(here, { recursive: true, force: true }));
  tried(() => renameSync(away, here));
}

/** Somebody may just be writing there. */
function tried(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

function work(): void {
  for (let round = 0; round < 20; round++) for (const one of swapped) flip(one);
  Atomics.wait(pause, 0, 0, 3);
  if (!over) return void setImmediate(work);
  stdout.write(`${flips}\n`);
}

stdin.on("data", () => {}).on("end", () => (over = true));
stdout.write("ready\n");
work();
