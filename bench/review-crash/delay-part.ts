import type { Host } from "../../src/core/host.ts";
import type { SessionId } from "../../src/core/ids.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { median, rounded } from "../medians.ts";
import { sentence } from "./facts.ts";
import { type Home, firstFiles, makeHome, speak } from "./home.ts";
import { startReviewModel } from "./review-model.ts";

export type DelayReport = {
  readonly turns: number;
  /** Medians: of turns without reviews; with one of the same session, which they stop; with one of another session. */
  readonly withoutMs: number;
  readonly stoppingMs: number;
  readonly besideMs: number;
  readonly stopping: number;
  readonly beside: number;
};

/** Turns with a review under way, and turns of a home without reviews, in turns. */
export async function delayPart(turns: number): Promise<DelayReport> {
  await using model = await startReviewModel(20);
  await using reviewed = await makeHome(model.url);
  await using plain = await makeHome(model.url, "off");
  await firstFiles(reviewed);
  await firstFiles(plain);
  await using on = await reviewed.open({ longLived: true });
  await using off = await plain.open({ longLived: true });
  const [without, stopping, beside]: [number[], number[], number[]] = [[], [], []];
  const [first, second] = [
    await speak(on, reviewed.cwd, sentence(1)),
    await speak(on, reviewed.cwd, "Hello."),
  ];
  const third = await speak(off, plain.cwd, sentence(1));
  for (let n = 2; n <= turns + 1; n++) {
    model.newLife();
    await speak(on, reviewed.cwd, sentence(n), first);
    await model.reviewRequest(1);
    beside.push(await timed(on, reviewed, "And now?", second));
    stopping.push(await timed(on, reviewed, "And then?", first));
    without.push(await timed(off, plain, "And now?", third));
    without.push(await timed(off, plain, "And then?", third));
  }
  const [withoutMs, stoppingMs, besideMs] = [without, stopping, beside].map((all) =>
    rounded(median(all)),
  ) as [number, number, number];
  return {
    turns,
    withoutMs,
    stoppingMs,
    besideMs,
    stopping: rounded(stoppingMs / withoutMs),
    beside: rounded(besideMs / withoutMs),
  };
}

async function timed(host: Host, { cwd }: Home, text: string, session: SessionId): Promise<number> {
  const began = systemClock.monotonic();
  await speak(host, cwd, text, session);
  return systemClock.monotonic() - began;
}
