import { type DemoScript, parseDemoScript } from "../../src/models/demo/script.ts";

/** What the model answers to everything else. */
export const answer = "Here I am, and there is nothing else to say.";

/** What the person says for a turn that does not end by itself. */
export const endlessWord = "endless";

/** A command that does not end, and what it starts neither. */
const command = "setsid sleep 600 & sleep 601 & touch begun; sleep 602";

export const script = (endlessTurns: number): DemoScript =>
  parseDemoScript({
    maxRequests: 1_000_000,
    steps: Array.from({ length: endlessTurns }, () => ({
      when: `^${endlessWord}$`,
      reply: [{ call: { tool: "exec_command", args: { cmd: command, yield_time_ms: 30_000 } } }],
    })),
    otherwise: [{ text: answer, chunks: 4 }],
  });
