import type { Incoming } from "../../src/core/host.ts";
import type { SessionId } from "../../src/core/ids.ts";
import { newId } from "../../src/core/ids.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type Place, openPlace } from "./place.ts";
import { asOwner, send } from "../../test/owners-host.ts";

/** `rounds`: turns of each kind. */
export type Size = { readonly rounds: number; readonly warmUp: number };

/**
 * Milliseconds from sending to the end. `alone`: nothing else goes on · `again`: likewise, which tells how much chance
 * there is in the figures · `cancelling`: the turn ends a review of its own session that is waiting for its model ·
 * `beside`: a review of another session goes on meanwhile
 */
export type Measured = { readonly [kind in Kind]: readonly number[] } & { readonly failed: number };
export type Kind = "alone" | "again" | "cancelling" | "beside";

export const kinds: readonly Kind[] = ["alone", "cancelling", "again", "beside"];

/** The kinds take turns, each round in another order, so that whatever else the machine does hits them alike. */
export async function run({ rounds, warmUp }: Size, log: (line: string) => void): Promise<Measured> {
  await using place = await openPlace(2 * rounds + 1);
  const [own, other] = [await begin(place), await begin(place)];
  for (let turn = 0; turn < warmUp; turn += 1) await timed(place, own);
  const times: Record<Kind, number[]> = { alone: [], again: [], cancelling: [], beside: [] };
  let failed = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (const at of kinds.keys()) {
      const kind = kinds[(at + round) % kinds.length] ?? "alone";
      const ms = await measure(place, kind, own, other);
      if (ms === undefined) failed += 1;
      if (ms !== undefined) times[kind].push(ms);
    }
    if (round % 10 === 9) log(`round ${round + 1} of ${rounds}`);
  }
  return { ...times, failed };
}

async function measure(
  place: Place,
  kind: Kind,
  own: SessionId,
  other: SessionId,
): Promise<number | undefined> {
  if (kind === "alone" || kind === "again") return timed(place, own);
  const before = place.model.total;
  const reviewed = asOwner(place.host).call("sessions.refine", {
    session: kind === "cancelling" ? own : other,
  });
  await place.model.waitForRequest(before + 1);
  const ms = await timed(place, own);
  // The other session's next message ends its review.
  if (kind === "beside") await timed(place, other);
  // One that came to its end by itself was not in anybody's way.
  return (await reviewed).startsWith("Not finished") ? ms : undefined;
}

async function begin(place: Place): Promise<SessionId> {
  const id = newId("ses", systemClock.now());
  await timed(place, id, { id, cwd: place.cwd, surface: "cli", audience: "owner" as const });
  return id;
}

let sent = 0;

async function timed(
  { host }: Place,
  id: SessionId,
  session: Incoming["session"] = id,
): Promise<number | undefined> {
  sent += 1;
  const key = { surface: "cli", account: "", chat: id, messageId: String(sent) };
  const began = systemClock.monotonic();
  const turn = await send(host, {
    key,
    session,
    input: [{ type: "text", text: `turn ${sent}` }],
    whenBusy: "queue",
    attended: "none",
  });
  const ended = await turn.ended;
  return ended?.outcome === "done" ? systemClock.monotonic() - began : undefined;
}
