import { toFailure } from "../../core/failure.ts";
import type { OpenClient } from "../../core/host.ts";
import { systemClock } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import type { AcpExit, AcpOptions, AcpPorts } from "./ports.ts";

/** A host that takes longer to open is not waited for before the editor is answered. */
const headStartMs = 300;

/** Serves one editor over stdin and stdout until it leaves. What runs then is stopped, and what was finished is kept. */
export async function acp(ports: AcpPorts, options: AcpOptions): Promise<AcpExit> {
  if (options.check === true) return (await import("./self-check.ts")).selfCheck(ports, options);
  const log = (line: string): void => void ports.stderr.write(`talaria: ${line}\n`);
  await using host = openedHost(ports, options, log);
  const ended = new AbortController();
  let code: 0 | 130 | 143 = 0;
  const ignore = ports.onSignal(["SIGINT", "SIGTERM", "SIGHUP"], (signal) => {
    // The next one ends the process, whatever we are stuck in.
    ignore();
    code = signal === "SIGTERM" ? 143 : 130;
    ended.abort();
  });
  // Ready when the editor needs it, and if it cannot be opened the log says so at once.
  await begun(host.get());
  await (await import("./serve.ts")).serve(host.get, ports, log, ended.signal);
  ignore();
  return code;
}

/** The host starts a runtime, which gets ready by itself while the library of the protocol is loaded: the other way round one would wait for the other. */
async function begun(opening: Promise<OpenClient>): Promise<void> {
  const over = new AbortController();
  const late = systemClock.sleep(headStartMs, over.signal, { hold: true }).catch(() => {});
  await Promise.race([opening.catch(() => {}), late]);
  over.abort(noLongerNeeded);
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
