import { fileURLToPath } from "node:url";
import { launchOptions } from "../../src/runtimes/codex/process/launch.ts";
import { piProgram } from "../loop/cold.ts";
import type { StartedProgram } from "../whole-run.ts";
import { type Home, model } from "./home.ts";
import { type Program, answer, answered } from "./start.ts";

const driver = fileURLToPath(new URL("driver.child.ts", import.meta.url));

/** Starts codex as Talaria does, and asks it for nothing else. */
export function driverProgram(binary: string, env: Home["env"], cwd: string, modelUrl: string): Program {
  const launch = launchOptions({ binary, env, route: { name: "scripted", url: modelUrl, headers: {} } });
  const args = [driver, JSON.stringify(launch), JSON.stringify({ cwd, model }), answer];
  return { command: process.execPath, args, says: answered };
}

export const piIn = async (
  { env }: Home,
  pi: string,
  modelUrl: string,
): Promise<Omit<StartedProgram, "cwd">> => ({
  ...(await piProgram(pi, env["HOME"] ?? "", modelUrl)),
  says: answered,
});
