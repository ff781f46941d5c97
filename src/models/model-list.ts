import type { Fault } from "../core/faults.ts";
import { fieldsOf, listOf, parsedJson } from "../core/json.ts";
import { type Clock, timeLimit } from "../lib/clock.ts";
import { classify, type Problem } from "./fault.ts";
import type { Route } from "./model.ts";

type ListOptions = {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** It is asked nothing else, so it need not be waited for long. */
  readonly limitMs: number;
  readonly fetch?: typeof fetch;
};

/** `listed: false`: it answers, but keeps no list. */
export type ModelList = { readonly listed: boolean; readonly models: readonly string[] };

/** What models an address has. Costs nothing there. */
export async function listModels(route: Route, options: ListOptions): Promise<ModelList | Fault> {
  const { clock, signal, limitMs } = options;
  using late = timeLimit(clock, limitMs, { hold: true });
  try {
    return await ask(route, options, AbortSignal.any([signal, late.signal]));
  } catch (error) {
    signal.throwIfAborted();
    const problem: Problem = late.signal.aborted
      ? { kind: "idle", seconds: limitMs / 1000 }
      : { kind: "unreached", error };
    return classify(problem, route, clock.now()).fault;
  }
}

/** Redirects are not followed: a key must not travel to an address nobody configured. */
async function ask(
  route: Route,
  { clock, fetch: own }: ListOptions,
  signal: AbortSignal,
): Promise<ModelList | Fault> {
  const headers = new Headers({ accept: "application/json" });
  if (route.key !== undefined && route.key !== "") headers.set("authorization", `Bearer ${route.key}`);
  for (const [name, value] of Object.entries(route.headers)) headers.set(name, value);
  const response = await (own ?? fetch)(`${route.url}/models`, { headers, redirect: "manual", signal });
  const body = await firstText(response);
  if (response.ok) return listIn(body);
  if (hasNoList.has(response.status)) return { listed: false, models: [] };
  return classify({ kind: "http", status: response.status, body }, route, clock.now()).fault;
}

const hasNoList: ReadonlySet<number> = new Set([404, 405, 501]);

const mostBytes = 4 * 1024 * 1024;

async function firstText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > mostBytes) break;
  }
  return text;
}

/** `{data: [{id}]}`, as OpenAI has it; some servers say `models` and `name`. */
function listIn(body: string): ModelList {
  const answer = parsedJson(body);
  const { data, models: own } = fieldsOf(answer);
  const rows = [answer, data, own].find(Array.isArray);
  const names = listOf(rows).map((row) => fieldsOf(row)["id"] ?? fieldsOf(row)["name"] ?? row);
  const models = names.filter((name): name is string => typeof name === "string" && name !== "");
  return { listed: rows !== undefined, models: [...new Set(models)] };
}
