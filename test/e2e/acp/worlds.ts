import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DemoModel } from "../../fakes/demo-model.ts";
import { runs, talariaOnCodex } from "../codex/codex-talaria.ts";
import { talariaOn } from "../endpoint.ts";
import type { Talaria } from "../talaria.ts";

/** What differs between runtimes: how a model there runs a command or changes a line of a file. */
export type World = {
  start(script: readonly object[] | object): Promise<Talaria & { readonly model: DemoModel }>;
  command(command: string): object;
  change(file: string, from: string, to: string): object;
};

export const worlds: readonly (readonly [string, World])[] = [
  [
    "the loop",
    {
      start: (script) => talariaOn(script),
      command: (command) => ({ call: { tool: "terminal", args: { command } } }),
      change: (path, from, to) => ({
        call: { tool: "patch", args: { path, edits: [{ old: from, new: to }] } },
      }),
    },
  ],
  [
    "codex",
    {
      async start(script) {
        const it = await talariaOnCodex(script);
        const file = join(it.home, "config.yaml");
        const settings = await readFile(file, "utf8");
        await writeFile(file, settings.replace("openai_runtime: auto", "openai_runtime: codex_app_server"));
        return it;
      },
      command: runs,
      change: (path, from, to) => ({
        custom: {
          tool: "apply_patch",
          input: `*** Begin Patch\n*** Update File: ${path}\n@@\n-${from}\n+${to}\n*** End Patch\n`,
        },
      }),
    },
  ],
];
