import { codeRules } from "./danger-code.ts";
import { dataRules } from "./danger-data.ts";
import { fileRules } from "./danger-files.ts";
import { gitRules } from "./danger-git.ts";
import { systemRules } from "./danger-system.ts";
import { codeOf } from "../shell/inline-code.ts";
import { type Label, inOrder } from "./labels.ts";
import { names } from "./names.ts";
import type { Invocation } from "../shell/shell-invocation.ts";
import { newEffort } from "../shell/shell-reader.ts";
import { type Sight, walkCommand } from "../shell/shell-run.ts";
import { type Touch, mentionsOf, touchesOf } from "./touches.ts";

/** Where a command would run, and what is guarded there. */
export type CommandContext = {
  readonly cwd: string;
  readonly home: string;
  readonly guarded: readonly string[];
};

/** One invocation with what it would do. */
export type InspectedInvocation = {
  readonly invocation: Invocation;
  readonly name: string;
  readonly args: readonly string[];
  /** What it changes. */
  readonly touches: readonly Touch[];
  /** What it names, for reading or anything else. */
  readonly mentions: readonly Touch[];
  /** Code for an interpreter. */
  readonly code: string;
  readonly context: CommandContext;
};

/** A label holds for a command when it holds for one invocation in it. */
export type Rule = { readonly label: Label; readonly holds: (look: InspectedInvocation) => boolean };

export type Inspection = {
  readonly labels: readonly Label[];
  readonly inspected: readonly InspectedInvocation[];
  /** Too long or too deeply nested to be inspected to its end. */
  readonly cut: boolean;
  /** How much work it was. */
  readonly steps: number;
};

/** Enough for any command that a system accepts (128 KiB), with all its layers. */
export const mostSteps = 1_000_000;

const rules: readonly Rule[] = [...fileRules, ...systemRules, ...gitRules, ...dataRules, ...codeRules];

/** Inspects a command and everything hidden in it. Never throws. */
export function inspect(command: string, context: CommandContext): Inspection {
  const effort = newEffort(mostSteps);
  const walked = walkCommand(command, context, effort);
  const inspected = walked.invocations.map((invocation) => inspectInvocation(invocation, context));
  const found = new Set<Label>();
  for (const look of inspected) {
    for (const { label, holds } of rules) if (!found.has(label) && holds(look)) found.add(label);
  }
  if (walked.hidden) found.add("hidden-text");
  if (isObscure(walked) || command.length > longest) found.add("obscure");
  if (inspected.some(({ name }) => fetchers.has(name)) && (walked.computed || found.has("fed-shell")))
    found.add("download-run");
  return { labels: inOrder(found), inspected, cut: effort.cut, steps: mostSteps - effort.left };
}

/** Nobody reads more than this before saying yes. */
const longest = 32_768;

const fetchers = names("curl wget fetch aria2c http https xh lynx nc ncat");

const isObscure = ({ broken, computed, effort }: Sight): boolean => broken || computed || effort.cut;

function inspectInvocation(invocation: Invocation, context: CommandContext): InspectedInvocation {
  const { name, args } = invocation;
  return {
    invocation,
    name,
    args,
    touches: touchesOf(invocation, context.home),
    mentions: mentionsOf(invocation),
    code: codeOf(invocation),
    context,
  };
}
