import type { Json } from "../../core/json.ts";
import type { Guard } from "./process/guards.ts";
import type { Launch } from "./process/launch.ts";

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
  /** What commands see of the terminal, in a turn that somebody attends, besides what the process itself has. */
  readonly terminal?: Readonly<Record<string, string>>;
  /** Variables of the process that no command may see. */
  readonly hiddenVariables?: readonly string[];
  /** May commands in the sandbox use the network? */
  readonly network: boolean;
  /** The working folder has files of ours in it that no command may write, or lies among them. */
  readonly holdsGuarded?: boolean;
  /** Programs that run outside of the sandbox, for which nothing in it may write. */
  readonly unwritable?: readonly string[];
  /** Files and folders that commands of a turn that nobody attends do not see. */
  readonly hidden?: readonly string[];
  /** The same for commands that run beside a conversation. */
  readonly hiddenInSideTurns?: readonly string[];
  /**
   * Folders in which a host that stays can be reached: no command in a sandbox with a network sees them. Made and looked for when it
   * is asked, which is when a thread is opened.
   */
  readonly doors?: () => Promise<readonly string[]>;
  /** Our own tools as a server of codex's are not for our own threads, which have them already. Absolute path. */
  readonly ownProgram?: string;
  /** Talaria's own, as they are written in its settings. */
  readonly mcpServers: { readonly [name: string]: Json };
  /** Who is asked before codex calls a tool, as the launch says it. */
  readonly guards?: readonly Guard[];
  /** What the person has switched off and codex has all the same, each a sentence. */
  readonly ignoredByCodex?: readonly string[];
  /** Said once for each process: a codex newer than tested. */
  readonly warnings: readonly string[];
};
