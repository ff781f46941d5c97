import { unusedKeysIn } from "../../config/providers.ts";
import { unusedKeyText } from "../../core/maintenance.ts";
import { listModels } from "../../models/model-list.ts";
import type { Route } from "../../models/model.ts";
import type { Fault } from "../../core/faults.ts";
import { type Facts, type ReadableSettings, needsLogin } from "./facts.ts";
import { type Finding, type Probe, fine, note, wrong } from "./probe.ts";

/** Who answers, and whether they can be reached. Asks for the list of models, which costs nothing. */
export function routeProbes({ settings, clock, env }: Facts): readonly Probe[] {
  if ("fault" in settings) return [];
  const ask = (route: Route, signal: AbortSignal): ReturnType<typeof listModels> =>
    listModels(route, { clock, signal, limitMs });
  return [
    { name: "model", look: (signal) => mainChecks(settings, env, ask, signal) },
    { name: "fallback", look: (signal) => fallbackChecks(settings, ask, signal) },
  ];
}

const limitMs = 6_000;

type Ask = (route: Route, signal: AbortSignal) => ReturnType<typeof listModels>;

async function mainChecks(
  { loaded, routes }: ReadableSettings,
  env: Facts["env"],
  ask: Ask,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const { model } = loaded.config;
  if (model.provider === "demo") {
    const unusedKeys = unusedKeysIn(env, loaded.config.providers).map((one) => `${unusedKeyText(one)}.`);
    const next = ["talaria setup chooses a real one.", ...unusedKeys].join(" ");
    return [note("model", "demo, the built-in offline model: it knows a few tricks and nothing else", next)];
  }
  if (needsLogin(loaded))
    return [fine("model", `${model.name ?? "codex's own choice"} at ${model.provider}, with codex's login`)];
  const route = await routes.find(undefined);
  if ("code" in route) return [wrong("model", route.message, route.next)];
  return [reached("model", route, await ask(route, signal), wrong)];
}

/** They are needed only when the first one fails. */
async function fallbackChecks(
  { routes }: ReadableSettings,
  ask: Ask,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const [, ...others] = await routes.all(undefined);
  return Promise.all(
    others.map(async (route) =>
      "code" in route
        ? note("fallback", route.message, route.next)
        : reached("fallback", route, await ask(route, signal), note),
    ),
  );
}

function reached(
  name: string,
  route: Route,
  answer: Awaited<ReturnType<Ask>> | Fault,
  bad: (name: string, detail: string, next: string) => Finding,
): Finding {
  const detail = `${route.model} at ${route.name} (${route.protocol}, ${route.url})`;
  if ("code" in answer) return bad(name, answer.message, answer.next);
  if (!answer.listed) return fine(name, `${detail}; it answers`);
  if (answer.models.length === 0 || answer.models.includes(route.model))
    return fine(name, `${detail}; it answers and has the model`);
  const some = answer.models.slice(0, 8).join(", ");
  const more = answer.models.length > 8 ? `, and ${answer.models.length - 8} more` : "";
  return note(
    name,
    `${detail}; it answers, but this model is not in its list`,
    `It lists: ${some}${more}. Choose: talaria config set model.default NAME`,
  );
}
