import type { Json } from "../../core/json.ts";
import type { Launch } from "./launch.ts";

/** How codex is to run a session's turns: what the settings say, already worked out. */
export type CodexPlan = {
  readonly launch: Launch;
  /** Who serves the model, for messages. */
  readonly provider: string;
  readonly keyName?: string;
  /** Is there a route for the loop besides the built-in model? Then a fault may point to it. */
  readonly loopRouteExists: boolean;
  /** Set in Talaria; unset leaves it to the person's codex settings. */
  readonly model?: string;
  readonly sandbox?: "read-only" | "workspace-write" | "danger-full-access";
  /** Laid over the thread's settings, such as MCP servers. */
  readonly config?: { readonly [key: string]: Json };
  /** Said once for each process: a codex newer than tested. */
  readonly warnings: readonly string[];
};
