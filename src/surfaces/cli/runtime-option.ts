import { noSuchRuntime } from "../../core/text/no-such-runtime.ts";

const names = ["loop", "codex"] as const;

export const isRuntime = (name: string): name is (typeof names)[number] =>
  names.some((each) => each === name);

/** What is said where somebody has named another one. */
export const notARuntime = (name: string): ReturnType<typeof noSuchRuntime> => noSuchRuntime(name, names);
