import type { Readiness } from "../../core/host.ts";
import type { Foundation } from "../foundation.ts";
import { noModel } from "./routes.ts";
import { noSuchRuntime } from "../../core/text/no-such-runtime.ts";

type Sources = Pick<Foundation, "loaded" | "routes" | "env" | "clock"> & {
  /** Names of the runtimes that there are. */
  readonly runtimes: readonly string[];
};

/** Whether turns can run on a runtime with what is installed and set. Changes nothing. */
export async function readiness(sources: Sources, runtime: string): Promise<Readiness> {
  if (!sources.runtimes.includes(runtime)) {
    const { message, next } = noSuchRuntime(runtime, sources.runtimes);
    return { ok: false, fault: { code: "config", message, next } };
  }
  if (runtime === "codex") return onCodex(sources);
  if (runtime === "loop") return onLoop(sources);
  return { ok: true, detail: runtime };
}

/** The provider first: nobody should install a program that they then cannot use. */
async function onCodex(sources: Sources): Promise<Readiness> {
  const { loaded, routes, env, clock } = sources;
  const { codexRoute, findOwnCodex } = await import("../codex/plan.ts");
  const route = await codexRoute(loaded.config, routes, anyModel);
  if (route !== undefined && "code" in route) return { ok: false, fault: route };
  const { signal } = new AbortController();
  const found = await findOwnCodex(loaded.config, env, clock, signal, "scripts");
  if ("code" in found) return { ok: false, fault: found };
  const { version, path, warning } = found;
  const missing = route === undefined ? undefined : await missingModel(sources);
  return { ...ready(`codex ${version}, ${path}`, [warning, missing]), version };
}

async function onLoop(sources: Sources): Promise<Readiness> {
  const route = await sources.routes.find(anyModel);
  if ("code" in route) return { ok: false, fault: route };
  return ready(`Talaria's own loop, ${route.name} (${route.protocol})`, [await missingModel(sources)]);
}

/** A session may have chosen its own, so the lack of a model is no obstacle. */
const anyModel = "any";

async function missingModel({ loaded, routes }: Sources): Promise<string | undefined> {
  if (!("code" in (await routes.find(undefined)))) return undefined;
  const { message, next } = noModel(loaded.config.model.provider);
  return `${message} ${next}`;
}

function ready(
  detail: string,
  warnings: readonly (string | undefined)[],
): Extract<Readiness, { readonly ok: true }> {
  const given = warnings.filter((one) => one !== undefined);
  return { ok: true, detail, ...(given.length === 0 ? {} : { warning: given.join(" ") }) };
}
