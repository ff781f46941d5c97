import { jsonDigest } from "../../../lib/digest.ts";
import type { TomlValue } from "./toml.ts";

/**
 * A command that codex runs before it calls a tool. It gets the call as JSON on its input; with exit code 2 the tool is not
 * called, and what it wrote to its error output is the reason that the model is told.
 */
export type Guard = {
  /** A regular expression over the names of tools. `Bash` is every command. */
  readonly matcher: string;
  readonly command: string;
};

/** Longer than any of them takes: codex calls the tool when one does not end in time. */
const seconds = 600;

/**
 * The guards as hooks of codex. They stand in the settings of the process, so that nothing is written into the person's
 * files; their own hooks run besides. Codex runs a hook only if its hash was approved, which for these is ours to do.
 */
export function guardSettings(guards: readonly Guard[]): Readonly<Record<string, TomlValue>> {
  if (guards.length === 0) return {};
  return {
    hooks: {
      PreToolUse: guards.map(({ matcher, command }) => ({ matcher, hooks: [handler(command)] })),
      state: Object.fromEntries(
        guards.map((guard, at) => [
          `/<session-flags>/config.toml:pre_tool_use:${at}:0`,
          { enabled: true, trusted_hash: hashOf(guard) },
        ]),
      ),
    },
  };
}

const handler = (command: string) => ({ async: false, command, timeout: seconds, type: "command" });

/** As codex reckons it: over the fields in the order of the alphabet. `hooks/list` says whether it agrees. */
function hashOf({ matcher, command }: Guard): string {
  const identity = { event_name: "pre_tool_use", hooks: [handler(command)], matcher };
  return `sha256:${jsonDigest(identity)}`;
}
