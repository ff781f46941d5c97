import type { OpenClient } from "../../core/host.ts";
import { systemClock } from "../../lib/clock.ts";
import { agentApp } from "./agent-app.ts";
import type { AcpPorts } from "./ports.ts";
import { openSessions } from "./sessions.ts";
import { stdioStream } from "./stdio.ts";

/** Serves one editor over stdin and stdout until it leaves, or until `ended`. */
export async function serve(
  host: () => Promise<OpenClient>,
  ports: AcpPorts,
  log: (line: string) => void,
  ended: AbortSignal,
): Promise<void> {
  const sessions = openSessions({ host, clock: systemClock, log });
  const connection = agentApp(sessions, ports.version).connect(
    stdioStream(ports, { clock: systemClock, log }),
  );
  const close = (): void => connection.close();
  if (ended.aborted) close();
  ended.addEventListener("abort", close);
  await connection.closed;
  ended.removeEventListener("abort", close);
}
