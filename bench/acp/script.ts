import { type DemoScript, parseDemoScript } from "../../test/fakes/demo-script.ts";

/** What the model answers to everything else. */
export const answer = "Here I am, and there is nothing else to say.";

/** What the person says for a turn that does not end by itself. */
export const endlessWord = "endless";

/** Which is over before the rest begins. */
export const finishedWord = "finished";

/** A command that does not end, and what it starts neither. */
const endless = "setsid sleep 600 & sleep 601 & touch begun; sleep 602";

export const script = (endlessTurns: number): DemoScript =>
  parseDemoScript({
    maxRequests: 1_000_000,
    steps: Array.from({ length: endlessTurns }, () => [runs(`echo ${finishedWord}`), runs(endless)]).flat(),
    otherwise: [{ text: answer, chunks: 4 }],
  });

const runs = (cmd: string) => ({
  when: `^${endlessWord}$`,
  reply: [{ call: { tool: "exec_command", args: { cmd, yield_time_ms: 30_000 } } }],
});
