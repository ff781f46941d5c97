import type { Command } from "commander";
import { bashScript } from "./completion-bash.ts";
import { fishScript } from "./completion-fish.ts";
import { nodesOf } from "./completion-nodes.ts";
import { zshScript } from "./completion-zsh.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** The script for a shell, made from the program itself. */
export const completionScript = (program: Command, shell: keyof typeof scripts): string =>
  scripts[shell](nodesOf(program));
