import { once } from "node:events";
import { eventLine } from "../../operations/text/event-line.ts";
import type { Follow } from "../../core/event-log.ts";
import { systemClock } from "../../lib/clock.ts";
import type { CliPorts, ExitCode } from "./ports.ts";

export type EventsOptions = {
  readonly profile?: string;
  readonly json?: boolean;
  readonly follow?: boolean;
  readonly session?: string;
  readonly after?: string;
};

/** `talaria events`: what happened in all sessions or in one, and with `--follow` what happens. */
export async function events(ports: CliPorts, options: EventsOptions): Promise<ExitCode> {
  const { profile, session, json = false } = options;
  const wanted = profile === undefined ? {} : { profile };
  await using host = await ports.openHost({ ...wanted, skipRepair: true });
  const of = session === undefined ? "all" : { session: (await host.call("sessions.get", { session })).id };
  const left = new AbortController();
  let code = 0 as ExitCode;
  const leave = (why: ExitCode): void => {
    code = why;
    left.abort();
  };
  using cleanup = new DisposableStack();
  cleanup.defer(ports.onInterrupt((signal) => leave(signal === "SIGTERM" ? 143 : 130)));
  cleanup.defer(ports.onReaderGone(() => leave(141)));
  cleanup.defer(() => left.abort());
  stayAwake(left.signal);
  let cursor = "";
  for await (const event of host.call("events.follow", followed(of, options), left.signal)) {
    if ("cursor" in event) ({ cursor } = event);
    const line = json ? JSON.stringify(event) : eventLine(event);
    if (line !== undefined) await write(ports.stdout, `${line}\n`, left.signal);
  }
  if (!json && code !== 141) ports.stderr.write(`· go on behind this with --after ${cursor}\n`);
  return code;
}

/** Without a cursor: all that is there, or from now on. */
const followed = (of: Follow["of"], { after, follow = false }: EventsOptions): Follow => ({
  of,
  ...(after === undefined && follow ? {} : { after: after ?? "start" }),
  ...(follow ? {} : { once: true }),
});

/** As fast as it is read: what nobody has read yet stays in the log. */
async function write(stdout: CliPorts["stdout"], line: string, signal: AbortSignal): Promise<void> {
  if (stdout.write(line)) return;
  await once(stdout, "drain", { signal }).catch(() => {});
}

/** Nothing else keeps the process: it waits for others. */
function stayAwake(signal: AbortSignal): void {
  systemClock.sleep(2 ** 31 - 1, signal, { hold: true }).catch(() => {});
}
