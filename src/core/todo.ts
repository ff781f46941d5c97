/** One line of what a session has set out to do. */
export type Todo = {
  readonly id: string;
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed" | "cancelled";
};
