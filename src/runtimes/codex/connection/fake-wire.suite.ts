import type { Wire } from "../process/process-wire.ts";

type Message = Readonly<Record<string, unknown>>;

/** A process in memory: the test is the other side. */
export type FakeWire = {
  readonly wire: Wire;
  /** What was sent to it, parsed. */
  readonly sent: readonly Message[];
  say(...messages: readonly object[]): void;
  sayLine(line: string): void;
  /** Its output ends, and then it does. */
  exit(exit?: { code?: number | null; signal?: string | null; stderrTail?: string }): void;
  closeOutput(): void;
  /** Reading its output fails. */
  breakOutput(error: Error): void;
  refuseInput(error: Error): void;
  readonly kills: number;
};

export function fakeWire(): FakeWire {
  const output = lineSource();
  const sent: Message[] = [];
  const exited = Promise.withResolvers<Awaited<Wire["exited"]>>();
  let inputError: Error | undefined;
  let kills = 0;

  const exit: FakeWire["exit"] = (how = {}) => {
    output.end();
    exited.resolve({ code: how.code ?? null, signal: how.signal ?? null, stderrTail: how.stderrTail ?? "" });
  };

  return {
    wire: {
      lines: output.lines,
      async write(line) {
        if (inputError !== undefined) throw inputError;
        sent.push(JSON.parse(line) as Message);
      },
      exited: exited.promise,
      stderrTail: () => "until now",
      async kill() {
        kills += 1;
        exit({ signal: "SIGKILL" });
      },
    },
    sent,
    say: (...messages) => messages.forEach((message) => output.push(JSON.stringify(message))),
    sayLine: output.push,
    exit,
    closeOutput: output.end,
    breakOutput: output.fail,
    refuseInput: (error) => void (inputError = error),
    get kills() {
      return kills;
    },
  };
}

function lineSource() {
  const waiting: string[] = [];
  let ended: { readonly error?: Error } | undefined;
  let wake = Promise.withResolvers<void>();

  const ring = (): void => {
    wake.resolve();
    wake = Promise.withResolvers<void>();
  };

  async function* read(): AsyncGenerator<string, void, undefined> {
    for (;;) {
      while (waiting.length > 0) yield waiting.shift() ?? "";
      if (ended?.error !== undefined) throw ended.error;
      if (ended !== undefined) return;
      await wake.promise;
    }
  }

  return {
    lines: read(),
    push(line: string) {
      waiting.push(line);
      ring();
    },
    end() {
      ended ??= {};
      ring();
    },
    fail(error: Error) {
      ended ??= { error };
      ring();
    },
  };
}

/** Everything that can happen without time passing has happened. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
