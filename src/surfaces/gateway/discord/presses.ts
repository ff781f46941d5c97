import type { Clock } from "../../../lib/clock.ts";
import type { Calls } from "./calls.ts";
import type { PressHandle } from "./parse.ts";
import { flags, plainContent } from "./render.ts";

/** After that whoever pressed is told that the bot does not answer. */
const answerMs = 3_000;

/**
 * Tells Discord that the press has arrived, whatever becomes of it: the wheel at the button ends. Tried until it is too late.
 * Gives why that failed.
 */
export async function deferPress(
  calls: Calls,
  clock: Clock,
  { id, key }: PressHandle,
  signal: AbortSignal,
): Promise<string | undefined> {
  const until = clock.monotonic() + answerMs;
  for (;;) {
    const limitMs = Math.max(1, until - clock.monotonic());
    const route = `/interactions/${id}/${key}/callback` as const;
    const called = await calls({ method: "POST", route, body: { type: 6 }, isOpen: true, limitMs }, signal);
    if ("answer" in called) return undefined;
    const { problem } = called;
    if (problem.kind === "refused") return problem.code === alreadyAnswered ? undefined : problem.why;
    const waitMs = problem.kind === "held" ? problem.ms : 250;
    if (clock.monotonic() + waitMs >= until)
      return problem.kind === "held" ? "Discord held it back." : problem.why;
    await clock.sleep(waitMs, signal);
  }
}

/** Words that only the person who pressed sees. The key works for 15 minutes; what matters is said in the channel besides. */
export async function whisper(
  calls: Calls,
  { application, key }: PressHandle,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  const body = { content: plainContent(text), flags: flags.ephemeral, allowed_mentions: { parse: [] } };
  await calls({ method: "POST", route: `/webhooks/${application}/${key}`, body, isOpen: true }, signal);
}

const alreadyAnswered = 40060;
