import type { Command } from "commander";
import type { Client } from "../../core/calls.ts";
import { type Action, type Actions, type Typed, runAction } from "./action.ts";
import type { ExitCode } from "./ports.ts";

/** Does what was typed: by the first word of a command and the one below it, if there is one. */
export async function perform(
  word: string,
  below: string,
  typed: Typed,
  program: Command,
): Promise<ExitCode> {
  const start = programs[word];
  if (start !== undefined) return await start(typed, program, below);
  const act = (await actions[word]?.())?.[below];
  if (act === undefined) throw new Error(`nothing does talaria ${word} ${below}`);
  const { ports, options } = typed;
  const profile = options.profile === undefined ? {} : { profile: options.profile };
  // These work while the settings are broken.
  if (bare.has(word)) return await runAction(ports, typed, (await ports.openBare(profile)) as Client, act);
  await using client = await ports.openHost(forHost.has(word) ? profile : { ...profile, skipRepair: true });
  return await runAction(ports, typed, client, act);
}

/** What they ask for goes on in a host that stays, or is known there alone. */
const forHost: ReadonlySet<string> = new Set(["goal", "gateway"]);

const bare: ReadonlySet<string> = new Set(["config", "profile"]);

/** Commands that ask a host for something and print what it says. */
const actions: Readonly<Record<string, () => Promise<Actions>>> = {
  sessions: async () => (await import("./sessions.ts")).actions,
  goal: async () => (await import("./goal.ts")).actions,
  approvals: async () => (await import("./approvals.ts")).actions,
  kanban: async () => (await import("./kanban.ts")).actions,
  tools: async () => (await import("./tools.ts")).actions,
  learned: async () => (await import("./learned.ts")).actions,
  skills: async () => (await import("./skills.ts")).actions,
  "mcp-servers": async () => (await import("./mcp-servers.ts")).actions,
  cron: async () => (await import("./work.ts")).cron,
  work: async () => (await import("./work.ts")).work,
  why: async () => only((await import("./work.ts")).why),
  gateway: async () => (await import("./gateway.ts")).actions,
  keys: async () => (await import("./access.ts")).keys,
  open: async () => only((await import("./access.ts")).open),
  devices: async () => (await import("./access.ts")).devices,
  config: async () => (await import("./settings.ts")).config,
  profile: async () => (await import("./settings.ts")).profile,
  "codex-runtime": async () => (await import("./settings.ts")).codexRuntime,
  usage: async () => only((await import("./usage.ts")).usage),
  context: async () => only((await import("./usage.ts")).context),
};

const only = (act: Action): Actions => ({ "": act });

/** Commands that have the terminal to themselves. */
const programs: Readonly<
  Record<string, (typed: Typed, program: Command, below: string) => Promise<ExitCode>>
> = {
  run: async ({ ports, words, options }) => (await import("./run.ts")).run(ports, words, options as never),
  batch: async ({ ports, words, options }) => (await import("./batch/batch.ts")).batch(ports, words, options),
  setup: async ({ ports, options }) => (await import("./setup/setup.ts")).setup(ports, options as never),
  doctor: async ({ ports, options }) => (await import("./doctor.ts")).doctor(ports, options),
  selftest: async ({ ports, options }) => (await import("./selftest.ts")).selftest(ports, options),
  events: async ({ ports, options }) => (await import("./events.ts")).events(ports, options),
  replay: async (typed) => (await import("./turn-printer.ts")).replayRecording(typed),
  serve: ({ ports, options }) => ports.serve(options),
  service: ({ ports, options }, _program, below) => ports.service(below, options),
  acp: ({ ports, options }) => ports.acp(options),
  mcp: ({ ports, options }) => ports.mcp(options),
  async completion({ ports, words: [shell = ""] }, program) {
    const { completionScript } = await import("./completion/completion.ts");
    ports.stdout.write(completionScript(program, shell as "bash"));
    return 0;
  },
};
