import { fieldsOf, listOf } from "../../../core/json.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Calls } from "./calls.ts";
import type { Places } from "./places.ts";
import { isSnowflake, orderOf } from "./snowflake.ts";

/** Messages of a channel after one of them, oldest first. `closed`: the bot may not read it, or it is gone. */
export type Page =
  | { readonly messages: readonly unknown[] }
  | { readonly closed: string }
  | { readonly failed: string };

export const pageSize = 100;

/** Reads what was said in a channel. What Discord holds back is waited for, unless that takes long. */
export function makeHistory(deps: { readonly calls: Calls; readonly clock: Clock; readonly places: Places }) {
  const { calls, clock, places } = deps;
  const get = async (
    route: `/${string}`,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<{ readonly answer: unknown } | { readonly closed: string } | { readonly failed: string }> => {
    for (let waitedMs = 0; ;) {
      const called = await calls({ method: "GET", route, query }, signal);
      if ("answer" in called) return called;
      const { problem } = called;
      if (problem.kind === "refused" && problem.status !== 401) return { closed: problem.why };
      if (problem.kind !== "held") return { failed: problem.why };
      waitedMs += problem.ms;
      if (waitedMs > longestHeldMs) return { failed: "Discord wants it to be read later." };
      await clock.sleep(problem.ms, signal);
    }
  };
  return {
    async after(channel: string, id: string, signal: AbortSignal): Promise<Page> {
      if (places.get(channel) === undefined) {
        const place = await get(`/channels/${channel}`, {}, signal);
        if (!("answer" in place)) return place;
        places.add(place.answer);
      }
      const page = await get(`/channels/${channel}/messages`, { after: id, limit: String(pageSize) }, signal);
      if (!("answer" in page)) return page;
      return { messages: inOrder(page.answer) };
    },
  };
}

export type History = ReturnType<typeof makeHistory>;

const longestHeldMs = 60_000;

export const inOrder = (answer: unknown): readonly unknown[] =>
  listOf(answer)
    .filter((one) => isSnowflake(fieldsOf(one)["id"]))
    .toSorted((a, b) => (orderOfRaw(a) < orderOfRaw(b) ? -1 : 1));

const orderOfRaw = (raw: unknown): string => orderOf(String(fieldsOf(raw)["id"]));
