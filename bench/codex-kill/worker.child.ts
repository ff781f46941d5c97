/**
 * A Talaria process with its turns on codex that kills itself when a certain frame has come. It says on stdout what it
 * acknowledged, showed and saw, so that this can be compared with what is on the disk.
 */
import { writeSync } from "node:fs";
import { argv } from "node:process";
import type { Job } from "./job.ts";
import { openScene } from "./scene.ts";
import { talk } from "./talk.ts";

const job = JSON.parse(argv[2] ?? "{}") as Job;
const say = (fact: object): void => void writeSync(1, `${JSON.stringify(fact)}\n`);

let frames = 0;
await using host = await openScene(job, (seen) => {
  frames += 1;
  say({ seen });
  if (frames === job.dieAfter) process.kill(process.pid, "SIGKILL");
});
await talk(host, job, {
  onAcked: (acked) => say({ acked }),
  onEvent(event) {
    if (event.type === "item") say({ shown: { turn: event.turn, item: event.item.id } });
    if (event.type === "ended") say({ ended: { turn: event.turn, outcome: event.outcome } });
  },
});
