import type { Session } from "../core/session.ts";
import type { Tool } from "../tools/tool.ts";

export { type LiveTasks, delegation, liveTasks } from "./delegate/delegation.ts";
export { type Allowance, allowance } from "./budget/allowance.ts";
export { settleCutOff } from "./budget/cut-off.ts";
export { type GoalDeps, type Goals, goals } from "./goals/goals.ts";
export { type DeskDeps, kanbanDesk } from "./card-runs/desk.ts";
export { type Cards, cardsOf } from "./cards/cards.ts";
export { delegateTaskRunner as handsOn } from "./delegate/report.ts";

/** Does it do a part of the work of another session? */
export const isDelegated = ({ parent }: Pick<Session, "parent">): boolean => parent !== undefined;

/** Is it an attempt at a card? */
export const isWorkers = ({ surface }: Pick<Session, "surface">): boolean => surface === "card";

/** Such a session hands nothing on, has nobody to ask, is held in no chat, and learns nothing: nobody has told it anything. */
export const mayDelegatedUse = ({ name, toolset }: Pick<Tool, "name" | "toolset">): boolean =>
  !["delegation", "clarify", "memory", "schedules", "chat"].includes(toolset) && name !== "skill_manage";
