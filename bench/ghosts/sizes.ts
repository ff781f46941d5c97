import type { OfferedTool } from "../../src/models/demo/demo-request.ts";
import { type Story, everyStory, storyOf } from "./story.ts";
import type { Mutant } from "./world.ts";

export const models = ["gpt-5.5", "gpt-6.1-sol"] as const;
export type Model = (typeof models)[number];

export type Size = (model: Model, offered: readonly OfferedTool[]) => readonly Story[];

/** Every n-th story: all of them take a while. */
export const fullSize =
  (nth: number): Size =>
  (_, offered) =>
    everyStory(offered).filter((_story, at) => at % nth === 0);

/** What codex would let go on after a turn, ended in each way. */
export const quickSize: Size = (model, offered) => [
  model === "gpt-5.5"
    ? storyOf(
        offered,
        [["exec_command"]],
        [["apply_patch"], "quit"],
        [["exec_command", "write_stdin"], "stop"],
      )
    : storyOf(offered, [["exec"]], [["wait"], "loop"]),
];

/** Each has to be noticed, by the story in which it shows. */
export const mutants: readonly (readonly [mutant: Mutant, model: Model, tool: string])[] = [
  ["goals", "gpt-5.5", "create_goal"],
  ["agents", "gpt-6.1-sol", "spawn_agent"],
  ["drop-late", "gpt-5.5", "exec_command"],
];
