import type { Loaded } from "../../config/config.ts";
import type { Fault } from "../../core/faults.ts";
import type { Route } from "../../models/model.ts";
import type { Routes } from "../models/routes.ts";

/** Who reviews a session: a route, on the loop; or the runtime that its turns run on, beside the conversation. */
export type ReviewTarget =
  | { readonly route: Route }
  | { readonly runtime: string; readonly model?: string }
  | { readonly none: Fault };

type Reviewed = { readonly runtime: string; readonly model?: string };

/**
 * What the settings say under `auxiliary.background_review`, else where the session's own turns run. A session on codex
 * is reviewed over the route that is set for it, whatever that speaks. Where none is set, over the route of its turns if that
 * speaks `responses` and they are not paid for by codex's login; otherwise codex does it, on a fork of the thread that has the
 * conversation already. A model that is set is used everywhere.
 */
export async function reviewTarget(
  loaded: Pick<Loaded, "config">,
  routes: Pick<Routes, "at">,
  session: Reviewed,
): Promise<ReviewTarget> {
  return session.runtime === "codex" ? onCodex(loaded, routes, session) : elsewhere(loaded, routes, session);
}

async function elsewhere(
  { config }: Pick<Loaded, "config">,
  routes: Pick<Routes, "at">,
  session: Reviewed,
): Promise<ReviewTarget> {
  const { provider = "auto", model } = config.auxiliary.background_review ?? {};
  if (provider === "auto" && model === undefined) return ownRuntime(session.runtime, session.model);
  const name = provider === "auto" ? config.model.provider : provider;
  if (config.providers[name]?.kind === "codex") return { none: noThread(name) };
  const route = await routes.at(name, model);
  return "code" in route ? { none: route } : { route };
}

async function onCodex(
  { config }: Pick<Loaded, "config">,
  routes: Pick<Routes, "at">,
  session: Reviewed,
): Promise<ReviewTarget> {
  const { provider = "auto", model } = config.auxiliary.background_review ?? {};
  const isNamed = provider !== "auto";
  const ownCodex = ownRuntime("codex", model ?? session.model);
  const name = isNamed ? provider : config.model.provider;
  const found = config.providers[name];
  if (found?.kind === "codex") return ownCodex;
  const hasLogin = found?.kind === "route" && found.codexLogin;
  if (hasLogin && !isNamed) return ownCodex;
  const route = await routes.at(name, model ?? (isNamed ? undefined : session.model));
  if ("code" in route) return isNamed && !hasLogin ? { none: route } : ownCodex;
  const isSet = isNamed || model !== undefined;
  return isSet || route.protocol === "responses" ? { route } : ownCodex;
}

const ownRuntime = (runtime: string, model: string | undefined): ReviewTarget => ({
  runtime,
  ...(model === undefined ? {} : { model }),
});

const noThread = (provider: string): Fault => ({
  code: "config",
  message: `auxiliary.background_review names ${provider}, which uses codex's login, and this session does not run on codex.`,
  next: "Name another provider there, or remove the setting: then the session's own model does it.",
});
