import { doctor, quit, status, whoami } from "./about-commands.ts";
import { agents } from "./agent-commands.ts";
import { approvals, approve, deny, yolo } from "./approval-commands.ts";
import { codexRuntime } from "./codex-runtime.ts";
import type { Run } from "./command.ts";
import { goal } from "./goal-commands.ts";
import { help } from "./help.ts";
import { kanban } from "../kanban/commands.ts";
import { learned, memory, refine, skills } from "./learned-commands.ts";
import { mcp } from "./mcp-commands.ts";
import { model, reasoning } from "./model-commands.ts";
import { ps } from "./process-commands.ts";
import { record, replay } from "./record-commands.ts";
import { resume } from "./resume.ts";
import { runtime } from "./runtime-commands.ts";
import { compress, context, fork, history, newSession, sessions, title } from "./session-commands.ts";
import { diff, tools, usage } from "./tool-commands.ts";
import { queue, retry, steer, stop, undo } from "./turn-commands.ts";
import { resend } from "./apps/resend.ts";
import { cron, why, work } from "./work/work-commands.ts";

/** What each slash command of the table does, by its name. */
export const runs: Readonly<Record<string, Run>> = {
  new: newSession,
  sessions,
  resume,
  title,
  history,
  fork,
  compress,
  context,
  retry,
  undo,
  stop,
  queue,
  steer,
  agents,
  ps,
  cron,
  work,
  why,
  goal,
  resend,
  model,
  reasoning,
  runtime,
  "codex-runtime": codexRuntime,
  approve,
  deny,
  approvals,
  yolo,
  kanban,
  learned,
  memory,
  skills,
  refine,
  tools,
  diff,
  usage,
  mcp,
  record,
  replay,
  status,
  whoami,
  doctor,
  quit,
  help,
};
