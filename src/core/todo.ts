/** One line of what a session has set out to do. */
export type Todo = {
  readonly id: string;
  readonly content: string;
  readonly status: TodoStatus;
};

export const todoStates = ["pending", "in_progress", "completed", "cancelled"] as const;
export type TodoStatus = (typeof todoStates)[number];

/** One line each, for models and people. */
export const todoLines = (todos: readonly Todo[]): readonly string[] =>
  todos.map(({ id, content, status }) => `[${marks[status]}] ${id}: ${content}`);

const marks: Readonly<Record<TodoStatus, string>> = {
  pending: " ",
  in_progress: ">",
  completed: "x",
  cancelled: "-",
};
