import { toFailure } from "../../core/failure.ts";
import type { OpenClient } from "../../core/host.ts";
import { systemClock } from "../../lib/clock.ts";
import { agentApp } from "./agent-app.ts";
import type { AcpExit, AcpOptions, AcpPorts } from "./ports.ts";
import { selfCheck } from "./self-check.ts";
import { openSessions } from "./sessions.ts";
import { stdioStream } from "./stdio.ts";

/** Serves one editor over stdin and stdout until it leaves. What runs then is stopped, and what was finished is kept. */
export async function acp(ports: AcpPorts, options: AcpOptions): Promise<AcpExit> {
  if (options.check === true) return selfCheck(ports, options);
  const log = (line: string): void => void ports.stderr.write(`talaria: ${line}\n`);
  await using host = openedHost(ports, options, log);
  const sessions = openSessions({ host: host.get, clock: systemClock, log });
  const connection = agentApp(sessions, ports.version).connect(
    stdioStream(ports, { clock: systemClock, log }),
  );
  // Ready when the editor needs it, and if it cannot be opened the log says so at once.
  void host.get().catch(() => {});
  let code: 0 | 130 | 143 = 0;
  const ignore = ports.onSignal(["SIGINT", "SIGTERM", "SIGHUP"], (signal) => {
    // The next one ends the process, whatever we are stuck in.
    ignore();
    code = signal === "SIGTERM" ? 143 : 130;
    connection.close();
  });
  await connection.closed;
  ignore();
  return code;
}

type OpenedHost = AsyncDisposable & { readonly get: () => Promise<OpenClient> };

/** A host that could not be opened is tried again with the next request: settings may have been corrected meanwhile. */
function openedHost(
  { openHost }: AcpPorts,
  { profile, attach = true }: AcpOptions,
  log: (line: string) => void,
): OpenedHost {
  let opening: Promise<OpenClient> | undefined;
  const open = async (): Promise<OpenClient> => {
    try {
      // An editor starts us when somebody wants to talk.
      const options = { attach, longLived: true, firstTurn: {} };
      return await openHost({ ...options, ...(profile === undefined ? {} : { profile }) });
    } catch (error) {
      opening = undefined;
      const { message, next } = toFailure(error);
      log(`${message} ${next}`);
      throw error;
    }
  };
  return {
    get: () => (opening ??= open()),
    async [Symbol.asyncDispose]() {
      const host = await opening?.catch(() => undefined);
      await host?.[Symbol.asyncDispose]();
    },
  };
}
