import type { Command } from "commander";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { nodesOf } from "./nodes.ts";
import { zshScript } from "./zsh.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** The script for a shell, made from the program itself. */
export const completionScript = (program: Command, shell: keyof typeof scripts): string =>
  scripts[shell](nodesOf(program));
