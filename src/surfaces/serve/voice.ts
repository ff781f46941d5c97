import type { ServeLog, ServeStatus } from "../../core/serving/door.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ServePorts } from "./ports.ts";
import { statusLine } from "./status-text.ts";

/** How a host that stays speaks: to a person in one line that changes, to a log in JSON lines. */
export type Voice = Disposable & { readonly log: ServeLog };

const eraseLine = "\r\u001b[2K";
const refreshMs = 1000;

export const voiceFor = (
  ports: Pick<ServePorts, "stderr" | "env">,
  clock: Clock,
  redact: (text: string) => string,
  status: () => Promise<ServeStatus>,
): Voice =>
  ports.stderr.isTTY === true && ports.env["TERM"] !== "dumb"
    ? terminalVoice(ports, clock, redact, status)
    : { log: jsonLog(ports, clock, redact), [Symbol.dispose]: () => {} };

/** Each line is masked as a whole: a secret may be anywhere in it. */
const jsonLog =
  ({ stderr }: Pick<ServePorts, "stderr">, clock: Clock, redact: (text: string) => string): ServeLog =>
  (event, fields = {}) =>
    void stderr.write(
      `${redact(JSON.stringify({ at: new Date(clock.now()).toISOString(), event, ...fields }))}\n`,
    );

function terminalVoice(
  { stderr }: Pick<ServePorts, "stderr">,
  clock: Clock,
  redact: (text: string) => string,
  status: () => Promise<ServeStatus>,
): Voice {
  const over = new AbortController();
  const paint = async (): Promise<void> => {
    const line = statusLine(await status(), clock.now());
    if (!over.signal.aborted) stderr.write(`${eraseLine}${line}`);
  };
  const keepPainting = async (): Promise<void> => {
    for (;;) {
      await paint().catch(() => {}); // the next one may be able to say it
      await clock.sleep(refreshMs, over.signal);
    }
  };
  void keepPainting().catch(() => {});
  return {
    log: (event, fields) => {
      const said = Object.entries(fields ?? {}).map(([name, value]) => `${name} ${plain(value)}`);
      stderr.write(`${eraseLine}${redact([event, ...said].join(", "))}\n`);
    },
    [Symbol.dispose]() {
      over.abort();
      stderr.write(eraseLine);
    },
  };
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join(" and ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
