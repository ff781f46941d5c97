import type { AuxiliaryTask } from "../../core/auxiliary.ts";
import type { Fault } from "../../core/faults.ts";
import type { Loaded } from "../../config/config.ts";
import type { Route } from "../../models/model.ts";
import type { Routes } from "./routes.ts";

/** Where a small task is done. On codex `model` is set only if somebody chose it. */
export type AuxiliaryPlace =
  | { readonly route: Route }
  | { readonly codex: { readonly provider: string; readonly model?: string } }
  | { readonly none: Fault };

/**
 * What the settings say for the task, else the main provider. Codex's login is used where it is all there is, and where
 * the turns use it too: nobody expects that a key pays for the titles of turns that a login pays for.
 */
export async function auxiliaryPlace(
  { config }: Pick<Loaded, "config">,
  routes: Pick<Routes, "at">,
  task: AuxiliaryTask,
): Promise<AuxiliaryPlace> {
  const { provider: chosen = "auto", model } = config.auxiliary[task] ?? {};
  const name = chosen === "auto" ? config.model.provider : chosen;
  const provider = config.providers[name];
  const codex = { codex: { provider: name, ...(model === undefined ? {} : { model }) } };
  if (provider?.kind === "codex") return codex;
  const hasLogin = provider?.kind === "route" && provider.codexLogin;
  if (hasLogin && chosen === "auto" && config.model.runtime === "codex") return codex;
  const route = await routes.at(name, model);
  if (!("code" in route)) return { route };
  return hasLogin ? codex : { none: route };
}
