import { type TestContext } from "node:test";
import { type DemoModel, startDemoModel } from "../../../test/fakes/demo-model.ts";
import { type ScriptPart, parseDemoScript } from "../../../test/fakes/demo-script.ts";
import { systemClock } from "../../lib/clock.ts";
import { type HttpWorld, type WorldOptions, httpWorld } from "./world.suite.ts";

export type ModelWorld = HttpWorld & { readonly model: DemoModel };

export type Steps = readonly { readonly when: string; readonly reply: readonly ScriptPart[] }[];

/** A door before a host whose model says what the test wants, and "Yes." to all else. */
export async function modelWorld(
  t: Pick<TestContext, "after">,
  steps: Steps,
  { settings = "", ...options }: WorldOptions = {},
): Promise<ModelWorld> {
  const script = parseDemoScript({ maxRequests: 500, steps, otherwise: [{ text: "Yes." }] });
  const model = await startDemoModel({ clock: systemClock, script });
  const route = `model:\n  provider: scripted\n  default: big\nproviders:\n  scripted:\n    api: ${model.url}\n    protocol: chat\n    models: [big, small]\n`;
  const titles = "auxiliary:\n  title_generation:\n    model: small\n    enabled: false\n";
  const world = await httpWorld(t, { ...options, settings: `${route}${titles}${settings}` });
  t.after(() => model[Symbol.asyncDispose]());
  return { ...world, model };
}
