import { z } from "zod";
import type { SessionId, TurnId } from "../core/ids.ts";
import { type Todo, todoLines, todoStates } from "../core/todo.ts";
import { type Tool, type ToolResult, failed } from "./tool.ts";

/** Where the list of a session is kept. */
export type TodoSource = {
  get(session: SessionId): Promise<readonly Todo[]>;
  change(
    session: SessionId,
    turn: TurnId,
    next: (now: readonly Todo[]) => readonly Todo[],
  ): Promise<readonly Todo[]>;
};

const maxTodos = 100;

const schema = z.object({
  todos: z
    .array(
      z.object({
        id: z.string().trim().min(1).max(50).describe("Short and unique in the list"),
        content: z.string().trim().min(1).max(500).describe("What is to be done"),
        status: z.enum(todoStates).default("pending"),
      }),
    )
    .max(maxTodos)
    .optional()
    .describe("The list, or with merge only what changes. Without it the list is only read."),
  merge: z
    .boolean()
    .optional()
    .describe("Change the items with these ids and add the others, instead of replacing the list"),
});

/** The list stays with the session: a shortened conversation, a restart or another runtime does not lose it. */
export const todoTool = (source: TodoSource): Tool<typeof schema> => ({
  name: "todo",
  toolset: "todo",
  description:
    "Keep the list of steps of a task with three or more of them. Send the whole list, or merge: true with what " +
    "changed; send nothing to read it. Have one item in_progress at a time, and mark it completed when it is done.",
  schema,
  effect: "none",
  lasting: true,
  timeoutMs: 15_000,
  maxOutputChars: 60_000,
  // One change may build on what the one before it did.
  inOrder: true,
  async run({ todos, merge = false }, { session, turn }) {
    if (todos === undefined) return listed(await source.get(session));
    const twice = todos.find(({ id }, at) => todos.findIndex((other) => other.id === id) !== at);
    if (twice !== undefined) {
      return failed(`Nothing was changed: two items have the id "${twice.id}".`);
    }
    const now = merge ? await source.get(session) : [];
    if (merged(now, todos).length > maxTodos) {
      return failed(`Nothing was changed: a list has at most ${maxTodos} items.`);
    }
    return listed(await source.change(session, turn, (known) => (merge ? merged(known, todos) : todos)));
  },
});

/** Changed items stay in their place. */
function merged(known: readonly Todo[], changes: readonly Todo[]): readonly Todo[] {
  const byId = new Map(changes.map((todo) => [todo.id, todo]));
  const ids = new Set(known.map(({ id }) => id));
  return [...known.map((todo) => byId.get(todo.id) ?? todo), ...changes.filter(({ id }) => !ids.has(id))];
}

function listed(todos: readonly Todo[]): ToolResult {
  if (todos.length === 0) return { ok: true, output: "The list is empty." };
  const done = todos.filter(({ status }) => status === "completed").length;
  return { ok: true, output: [`${done} of ${todos.length} done`, ...todoLines(todos)].join("\n") };
}
