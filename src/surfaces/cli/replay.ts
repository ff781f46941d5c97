import { resolve } from "node:path";
import type { Envelope } from "../../core/events.ts";
import { asId } from "../../core/ids.ts";
import type { CliPorts, ExitCode } from "./ports.ts";
import { turnPrinter } from "./turn-printer.ts";

/** `talaria replay FILE`: a recording, shown as the turns were. */
export async function replayRecording(ports: CliPorts, file: string, json: boolean): Promise<ExitCode> {
  const { events, summary } = await ports.replay(resolve(ports.cwd, file));
  const show = turnPrinter({ ...ports, quiet: false, color: false });
  const ids = { v: 1, session: asId<"ses">(""), turn: asId<"trn">("") } as const;
  for (const [at, event] of events.entries()) {
    if (json) ports.stdout.write(`${JSON.stringify(event)}\n`);
    if (!json) show({ ...ids, seq: at + 1, ...event } as Envelope);
  }
  ports.stdout.write(`${summary}\n`);
  return 0;
}
