import type { Session } from "../core/session.ts";
import type { Tool } from "../tools/tool.ts";

export { type Delegation, delegation } from "./delegate/delegation.ts";
export { handsOn } from "./delegate/hand-on.ts";

/** Does it do a part of the work of another session? */
export const isDelegated = ({ parent }: Pick<Session, "parent">): boolean => parent !== undefined;

/** Such a session hands nothing on, and has nobody to ask. */
export const mayDelegatedUse = ({ toolset }: Pick<Tool, "toolset">): boolean =>
  toolset !== "delegation" && toolset !== "clarify";
