import type { TurnEvent } from "../../src/core/events.ts";
import type { Runtime, Turn } from "../../src/runtimes/runtime.ts";
import { aborted, playReplies, says, scriptedRuntime } from "../../test/fakes/scripted-runtime.ts";

/** What a turn of a soak does; most of them answer, some run a command, and one in twenty goes wrong. */
export type Kind = "answers" | "runs a command" | "fails" | "throws" | "ends without a word" | "is stopped";

/** A turn is told in its message what it is to do. */
export const runtime: Runtime = scriptedRuntime((turn, ports) => play(turn, ports));

async function* play(turn: Turn, ports: Parameters<Runtime["run"]>[1]): AsyncGenerator<TurnEvent> {
  const [part] = turn.input;
  const kind = part?.type === "text" ? (part.text as Kind) : "answers";
  switch (kind) {
    case "answers":
      return yield* says("An answer in a few words.", turn);
    case "runs a command":
      return yield* playReplies(commandThenWord, [])(turn, ports);
    case "fails":
      return yield { type: "ended", outcome: "failed", fault: refused, text: "", calls: 0 };
    case "throws":
      throw new Error("the runtime broke");
    case "ends without a word":
      return undefined;
    case "is stopped":
      await aborted(ports.signal);
      return yield { type: "ended", outcome: "interrupted", text: "", calls: 0 };
  }
}

const refused = { code: "auth", message: "the key was refused", next: "set another key" } as const;
const commandThenWord = [
  { calls: [{ tool: "terminal", args: { command: "echo here" } }] },
  { says: "Done." },
] as const;
