import type { Envelope } from "../../src/core/events.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { Said } from "../crash/job.ts";
import { nothingSaid } from "../crash/run-worker.ts";
import type { Cut } from "./cut.ts";
import type { Mutant } from "./job.ts";
import { type Place, newPlace } from "./place.ts";
import { openScene } from "./scene.ts";
import { type Seen, nothingSeen, see } from "./seen.ts";
import { talk } from "./talk.ts";
import { verdict } from "./verdict.ts";

/** The conversation, with codex killed after so many of its frames. Without `after` nothing is killed. */
export async function codexCut(codex: Place["codex"], after?: number, mutant?: Mutant): Promise<Cut> {
  await using place = await newPlace(codex, { killAfter: after, mutant });
  const [said, seen] = [nothingSaid(), nothingSeen()];
  const { killedMs, lostMs } = await conversation(place, said, seen, after);
  const where =
    after === undefined ? `${codex} codex, not killed` : `${codex} codex killed after frame ${after}`;
  return {
    killed: killedMs !== undefined,
    ...(killedMs === undefined || lostMs === undefined ? {} : { noticedMs: lostMs - killedMs }),
    ...(await verdict(place, said, seen, { died: "codex", where })),
  };
}

type Times = { killedMs?: number; lostMs?: number };

async function conversation(place: Place, said: Said, seen: Seen, after?: number): Promise<Times> {
  const { job, story, codex } = place;
  const times: Times = {};
  await using host = await openScene(job, (glimpse, pid) => {
    see(seen, glimpse);
    if (!glimpse.first || seen.frames !== after) return;
    times.killedMs = systemClock.monotonic();
    if (codex === "real") process.kill(pid, "SIGKILL"); // the fake has ended itself
  });
  const ears = {
    onAcked: (text: string) => void said.acked.push(text),
    onEvent(event: Envelope) {
      if (event.type === "item") said.shown.push({ turn: event.turn, item: event.item.id });
      if (event.type !== "ended") return;
      said.ended.push({ turn: event.turn, outcome: event.outcome });
      if (event.outcome !== "done") times.lostMs ??= systemClock.monotonic();
    },
  };
  const last = await talk(host, job, ears);
  if (last?.outcome !== "done") await talk(host, { ...job, inputs: [story.again] }, ears);
  return times;
}
