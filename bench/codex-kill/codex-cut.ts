import { systemClock } from "../../src/lib/clock.ts";
import type { Said } from "../crash/job.ts";
import { nothingSaid } from "../crash/run-worker.ts";
import type { Mutant } from "./job.ts";
import { type Place, newPlace } from "./place.ts";
import { openScene } from "./scene.ts";
import { type Seen, nothingSeen, see } from "./seen.ts";
import { talk } from "./talk.ts";
import { verdict } from "./verdict.ts";

export type Cut = {
  readonly killed: boolean;
  /** Frames of the first codex. */
  readonly frames: number;
  /** A turn after the kill went on in the thread of one before it. */
  readonly resumed: boolean;
  /** From the kill to the end of the turn that it hit. */
  readonly noticedMs?: number;
  readonly broken: readonly string[];
};

/** The conversation, with codex killed after so many of its frames; the last input shows whether it goes on. */
export async function codexCut(codex: Place["codex"], after?: number, mutant?: Mutant): Promise<Cut> {
  await using place = await newPlace(codex, after);
  const { story, job } = place;
  const [said, seen] = [nothingSaid(), nothingSeen()];
  const times = await conversation(
    { ...place, job: mutant === undefined ? job : { ...job, mutant } },
    said,
    seen,
    after,
  );
  const { broken, resumed } = await verdict(place, said, seen, "codex");
  const where = after === undefined ? "uncut" : `${codex} codex killed after frame ${after}`;
  return {
    killed: times.killedMs !== undefined,
    frames: seen.frames,
    resumed,
    ...(times.lostMs === undefined || times.killedMs === undefined
      ? {}
      : { noticedMs: times.lostMs - times.killedMs }),
    broken: broken.map((line) => `${where} (story ${story.number}): ${line}`),
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
    onEvent: (event: Parameters<Parameters<typeof host.subscribe>[1]>[0]) => {
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
