import * as fc from "../../test/seeded.ts";
import { judge, type PolicySettings } from "../../src/approvals/policy/policy.ts";
import type { Decision, Question } from "../../src/core/asking.ts";
import type { Attended } from "../../src/core/host.ts";
import { asId } from "../../src/core/ids.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { isInside } from "../../src/lib/sandbox/paths.ts";
import { isCredentialFile } from "../../src/tools/files/credential-file.ts";
import { toolBox } from "../../src/tools/registry.ts";
import type { FileTool } from "./file-tools.ts";
import { startFlipper } from "./flipper.ts";
import { type HostilePath, hostilePaths } from "./paths.ts";
import { differences, picture } from "./picture.ts";
import { type World, canary, unspoken } from "./world.ts";
import { ownersTurn } from "../../test/owners-turn.ts";

export type Tried = {
  readonly calls: number;
  /** How often each kind of path was tried. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly tools: Readonly<Record<string, number>>;
  readonly flips: number;
  /** Calls that did what they were asked to do: without any, nothing would have been tried. */
  readonly done: number;
  /** Everything that speaks against the tools, in words. */
  readonly faults: readonly string[];
};

type Options = {
  readonly world: World;
  readonly tools: readonly FileTool[];
  readonly attended: Exclude<Attended, "ask">;
  readonly paths: number;
  readonly seed: number;
};

/** Calls the tools with hostile paths while another process swaps some of them, and looks at what became of it. */
export async function tryPaths({ world, tools, attended, paths, seed }: Options): Promise<Tried> {
  const faults: string[] = [];
  const watched = attended === "none" ? [...world.sentinels, ...world.sensitive] : world.sentinels;
  const before = await picture(watched);
  const box = toolBox(
    tools.map(({ tool }) => tool),
    {
      session: asId<"ses">("ses_0000000001"),
      turn: asId<"trn">("trn_1"),
      ...ownersTurn,
      cwd: world.cwd,
      clock: systemClock,
      inquire: async () => undefined,
      ask: async (question) => decide(question, world, attended, faults),
    },
  );
  const { signal } = new AbortController();
  const kinds: Record<string, number> = {};
  const used: Record<string, number> = {};
  let done = 0;
  const flipper = await startFlipper(world);
  for (const { kind, path, tool, args } of callsOf(world, tools, paths, seed)) {
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    used[tool] = (used[tool] ?? 0) + 1;
    const { ok, output, diff = "" } = await box.call(tool, args, signal);
    done += ok ? 1 : 0;
    if ((output + diff).includes(canary)) faults.push(`${tool} ${JSON.stringify(path)} told what is secret`);
    if (output.includes(unspoken)) faults.push(`${tool} ${JSON.stringify(path)} listed a folder outside`);
  }
  const flips = await flipper.stop();
  faults.push(...differences(before, await picture(watched)));
  return { calls: paths, kinds, tools: used, flips, done, faults };
}

type Call = HostilePath & { readonly tool: string; readonly args: Record<string, unknown> };

function callsOf(world: World, tools: readonly FileTool[], count: number, seed: number): readonly Call[] {
  const calls = fc.oneof(
    ...tools.map(({ tool: { name: tool }, reads, share, calls: forms }) => ({
      weight: share,
      arbitrary: fc
        .tuple(hostilePaths(world, reads), fc.constantFrom(...forms))
        .map(([hostile, form]): Call => ({ ...hostile, tool, args: form(hostile.path) })),
    })),
  );
  return fc.sample(calls, { numRuns: count, seed });
}

/**
 * As the policy decides, with one exception: what it lets pass outside the folder, because everything was allowed
 * beforehand, is denied here. So nothing outside may change by any call that names a file inside.
 */
function decide(question: Question, world: World, attended: Attended, faults: string[]): Decision {
  const settings: PolicySettings = {
    mode: "manual",
    securityMode: "auto",
    deny: [],
    guarded: world.guarded,
    home: world.home,
  };
  const { verdict, reason } = judge(question, { ...ownersTurn, attended }, settings);
  const denied: Decision = { choice: "deny", why: "policy", reason };
  if (verdict !== "allow") return denied;
  const named = question.action.kind === "change" ? (question.action.changes ?? []) : [];
  for (const { path } of named) {
    const isKept = world.guarded.some((kept) => isInside(path, kept)) || isCredentialFile(path);
    if (isKept) faults.push(`${path} was allowed to be changed`);
    if (isInside(path, world.cwd)) continue;
    if (attended === "none") faults.push(`${path} outside was allowed with nobody there`);
    return denied;
  }
  return { choice: "once", why: "policy" };
}
