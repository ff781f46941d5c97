import type { Client } from "../../../core/calls.ts";
import type { ShellResult } from "../../../core/host.ts";
import type { InputPart } from "../../../core/messages.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Screen } from "../screen.ts";

/** Commands that the person runs themselves: `!ls` tells the model with the next message, `!!ls` does not. */
export interface OwnCommand {
  run(typed: string): Promise<void>;
  /** What the next message begins with. */
  notes(): readonly InputPart[];
  forget(): void;
  /** False: none runs. */
  stop(): boolean;
}

/** More would crowd out the conversation. */
const maxNoteLength = 8_000;

/** How often it is painted anew while it prints nothing. */
const frameMs = 100;

export function ownCommand({
  host,
  screen,
  ports,
  clock,
}: {
  readonly host: Client<"shell.run">;
  readonly screen: Pick<Screen, "view" | "repaint">;
  readonly ports: { readonly cwd: string };
  readonly clock: Clock;
}): OwnCommand {
  let unsentNotes: string[] = [];
  let running: AbortController | undefined;
  const keepMoving = async (own: AbortController): Promise<void> => {
    const isOver = (): boolean => running !== own;
    for (; !isOver(); await clock.sleep(frameMs)) screen.repaint();
  };
  return {
    async run(typed) {
      const command = typed.replace(/^!!?/, "").trim();
      const { view, repaint } = screen;
      if (command === "")
        return view.note("Write a command after it: !ls, or !!ls to keep it from the model.");
      if (running !== undefined) return view.note("A command of yours is still running. Ctrl+C ends it.");
      running = new AbortController();
      const entry = view.shell(crypto.randomUUID(), command);
      void keepMoving(running);
      try {
        let result: ShellResult = { output: "", cut: false };
        for await (const said of host.call("shell.run", { command, cwd: ports.cwd }, running.signal)) {
          if ("text" in said) entry.output(said.text);
          else result = said;
          repaint();
        }
        entry.end(result);
        if (!typed.startsWith("!!")) unsentNotes.push(noteOf(command, result.exitCode, result.output));
      } catch (error) {
        entry.end({ signal: "stopped" });
        throw error;
      } finally {
        running = undefined;
      }
    },
    notes: () => unsentNotes.map((text) => ({ type: "text" as const, text })),
    forget: () => void (unsentNotes = []),
    stop() {
      running?.abort(new Error("stopped by the person"));
      return running !== undefined;
    },
  };
}

function noteOf(command: string, exitCode: number | undefined, output: string): string {
  const tail = output.length > maxNoteLength ? `…${output.slice(-maxNoteLength)}` : output;
  const ended = exitCode === undefined ? "was stopped" : `ended with exit code ${exitCode}`;
  return `I ran this command myself; it ${ended}:\n\n$ ${command}\n${tail.trimEnd()}\n`;
}
