import type { Task } from "./task.ts";

/** What the session that does a task is told, which has seen nothing of the conversation before. */
export function firstMessage({ goal, context = "" }: Task): string {
  const known = context.trim() === "" ? [] : [`What you need to know:\n${context.trim()}`];
  return [opening, `The task:\n${goal.trim()}`, ...known, closing].join("\n\n");
}

const opening =
  "You do one part of a larger piece of work, which another session handed on to you. Nobody follows this conversation and no question in it is answered: where something is unclear, take the most sensible reading, and say in the end which one.";

const closing = `When you are finished, answer with a summary. It is all that the other session will see of your work, so it has to stand alone:
- what you did and what you found, with the names, paths and figures that matter
- what you changed
- what is left, what you are not sure of, and what did not work and why
Leave out everything else.`;
