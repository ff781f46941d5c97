import { aboutCommands } from "./about-commands.ts";
import { agentCommands } from "./agent-commands.ts";
import { approvalCommands } from "./approval-commands.ts";
import type { Command } from "./command.ts";
import { helpCommand } from "./help.ts";
import { learnedCommands } from "./learned-commands.ts";
import { findExact } from "./look-up.ts";
import { mcpCommands } from "./mcp-commands.ts";
import { modelCommands } from "./model-commands.ts";
import { processCommands } from "./process-commands.ts";
import { recordCommands } from "./record-commands.ts";
import { runtimeCommands } from "./runtime-commands.ts";
import { sessionCommands } from "./session-commands.ts";
import { toolCommands } from "./tool-commands.ts";
import { turnCommands } from "./turn-commands.ts";

export { isOffered } from "./help.ts";

/** Every slash command there is, in the order of the groups. */
export const commands: readonly Command[] = [
  ...sessionCommands,
  ...turnCommands,
  ...agentCommands,
  ...processCommands,
  ...modelCommands,
  ...runtimeCommands,
  ...approvalCommands,
  ...learnedCommands,
  ...toolCommands,
  ...mcpCommands,
  ...recordCommands,
  ...aboutCommands,
  helpCommand(() => commands),
];

/** By its name or an alias. */
export const findCommand = (name: string): Command | undefined => findExact(name.toLowerCase(), commands);
