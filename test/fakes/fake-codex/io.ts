import type { Clock } from "../../../src/lib/clock.ts";
import type { CodexSchema } from "../../codex-schema/codex-schema.ts";
import type { FakeHome } from "./home.ts";

export type LogLine = {
  readonly ms: number;
  readonly dir: "c>s" | "s>c" | "note";
  readonly msg: unknown;
};

/** What the fake touches of the world. */
export type FakeIo = {
  readonly input: AsyncIterable<Uint8Array>;
  /** Resolves when the bytes are out. */
  readonly output: (bytes: Uint8Array) => Promise<void>;
  readonly stderr: (bytes: Uint8Array) => Promise<void>;
  /** Does to this process what its name says. After SIGKILL nothing may happen any more; in memory that is pretended. */
  readonly signal: (name: "SIGKILL" | "SIGSTOP") => void;
  readonly home: FakeHome;
  readonly clock: Clock;
  readonly log: (line: LogLine) => void;
  /** Judges every frame of the client. Without it none is judged. */
  readonly schema?: CodexSchema;
  /** `-c` settings of the command line. */
  readonly settings?: Readonly<Record<string, string>>;
};
