import type { Fault } from "../core/faults.ts";
import type { Clock } from "../lib/clock.ts";
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
  const late = new AbortController();
  const done = new AbortController();
  clock.sleep(limitMs, done.signal, { hold: true }).then(
    () => late.abort(),
    () => {},
  );
  try {
    return await ask(route, options, AbortSignal.any([signal, late.signal]));
  } catch (error) {
    signal.throwIfAborted();
    const problem: Problem = late.signal.aborted
      ? { kind: "idle", seconds: limitMs / 1000 }
      : { kind: "unreached", error };
    return classify(problem, route, clock.now()).fault;
  } finally {
    done.abort();
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
  const answer = json(body);
  const rows = [answer, fieldOf(answer, "data"), fieldOf(answer, "models")].find(Array.isArray) as
    | readonly unknown[]
    | undefined;
  const names = (rows ?? []).map((row) => fieldOf(row, "id") ?? fieldOf(row, "name") ?? row);
  const models = names.filter((name) => typeof name === "string" && name !== "") as string[];
  return { listed: rows !== undefined, models: [...new Set(models)] };
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
