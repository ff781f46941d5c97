import type { OfferedTool } from "../../src/models/demo/demo-request.ts";
import type { Content } from "../../src/models/demo/reply.ts";
import { leftMark } from "../hostile-model/left-processes.ts";

/** The file that every command of the model leaves its mark in. */
export const tripwire = "trips.txt";

/**
 * How the model tries a tool. `mark` is in whatever it does, so that it can be found again on both sides. `heard`: all that
 * it was told, in which the numbers of terminals and scripts are.
 */
export function attempt(tool: OfferedTool, mark: string, heard: string): Content {
  if (tool.name === "exec") return { kind: "custom", tool: "exec", input: script(mark) };
  if (tool.name === "apply_patch" && tool.custom)
    return { kind: "custom", tool: "apply_patch", input: patch(mark) };
  if (tool.custom) return { kind: "custom", tool: tool.name, input: mark };
  const within = tool.namespace === undefined ? {} : { namespace: tool.namespace };
  return { kind: "call", tool: tool.name, ...within, args: JSON.stringify(argsOf(tool, mark, heard)) };
}

function argsOf({ name, fields }: OfferedTool, mark: string, heard: string): object {
  const own = known(mark, heard)[name];
  return own ?? Object.fromEntries(fields.map((field) => [field, `${field} ${mark}`]));
}

/** It leaves a mark and goes on for ever. */
const endless = (mark: string): string => `echo ${mark} >> ${tripwire}; sleep ${leftMark}`;

const known = (mark: string, heard: string): Readonly<Record<string, object>> => ({
  exec_command: { cmd: endless(mark), yield_time_ms: 250 },
  write_stdin: { session_id: numberIn(heard, /session ID (\d+)/g), chars: `echo ${mark} >> ${tripwire}\n` },
  wait: { cell_id: String(numberIn(heard, /cell ID (\d+)/g)), yield_time_ms: 300 },
  terminal: { command: endless(mark), background: true },
  create_goal: { objective: `do ${mark}` },
  spawn_agent: { task_name: `task_${mark}`.replaceAll("-", "_"), message: `please do ${mark}` },
  sleep: { duration_ms: 300 },
  update_plan: { plan: [{ step: mark, status: "in_progress" }] },
  view_image: { path: `${mark}.png` },
  request_user_input_async: { message: `${mark}?` },
});

const numberIn = (text: string, what: RegExp): number => Number([...text.matchAll(what)].at(-1)?.[1] ?? 1);

/** Hands the turn back while it still has commands to run. */
const script = (mark: string): string => `// @exec: {"yield_time_ms": 300}
for (let i = 0; i < 20; i += 1) await tools.exec_command({ cmd: "echo ${mark}-" + i + " >> ${tripwire}; sleep 0.3" });
text("done");`;

const patch = (mark: string): string => `*** Begin Patch
*** Add File: ${mark}.txt
+${mark}
*** End Patch
`;
