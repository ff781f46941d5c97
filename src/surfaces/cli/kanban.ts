import { systemClock } from "../../lib/clock.ts";
import { type Verb, kanbanVerbs } from "../../operations/kanban/verbs.ts";
import { short } from "../../core/plain-text.ts";
import type { Action, Actions } from "./action.ts";
import { usage } from "./failure.ts";

const act =
  (name: string, verb: Verb): Action =>
  async (client, { words, options, ports }) => {
    if (name === "list" && words.length > 0)
      throw usage(
        `talaria kanban has no command "${short(words.join(" "), 40)}".`,
        "`talaria kanban show ID` shows a card; `talaria kanban --help` lists all.",
      );
    return verb(client, {
      words,
      options,
      cwd: ports.cwd,
      now: systemClock.now(),
      width: ports.stdout.columns ?? 80,
      typed: "talaria kanban",
    });
  };

/** `talaria kanban …`. */
export const actions: Actions = Object.fromEntries(
  Object.entries(kanbanVerbs).map(([name, verb]) => [name, act(name, verb)]),
);
