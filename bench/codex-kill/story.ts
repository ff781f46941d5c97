import { type DemoScript, parseDemoScript } from "../../test/fakes/demo-script.ts";

/**
 * What is said in every run: a plain turn, one with commands, an approval and a command that goes on in the background,
 * and one to see what became of the conversation. All words are unique over the whole bench.
 */
export type Story = {
  readonly first: string;
  readonly work: string;
  readonly next: string;
  /** For a turn that came so soon after the kill that it was lost, too. */
  readonly again: string;
  readonly number: number;
};

let stories = 0;

export function newStory(): Story {
  stories += 1;
  const number = process.pid * 1000 + stories;
  const [first, work, next, again] = ["first", "work", "next", "again"].map((word) => `${word} ${number}`);
  return { first, work, next, again, number } as Story;
}

/** The file that gets a line whenever the command runs that had to be asked for. */
export const tripwire = "tripwire.txt";
const ask = { sandbox_permissions: "require_escalated", justification: "May I write there?" };
const background = "sleep 600";

export const modelScript = ({ number }: Story): DemoScript =>
  parseDemoScript({
    steps: [
      { when: "^first", reply: [{ text: `greeting ${number}`, chunks: 2 }] },
      {
        when: "^work",
        reply: [
          { reasoning: { summary: "What is there to do?" } },
          { text: `looking ${number}`, phase: "commentary", chunks: 2 },
          call("cat notes.txt"),
        ],
      },
      { when: "^work", reply: [call(`echo ran >> ${tripwire}; echo written ${number}`, ask)] },
      { when: "^work", reply: [call(background, { yield_time_ms: 250 })] },
      { when: "^work", reply: [{ text: `finished ${number}`, chunks: 6 }] },
      { when: "^next", reply: [{ text: `goodbye ${number}`, chunks: 2 }] },
      { when: "^again", reply: [{ text: `farewell ${number}`, chunks: 2 }] },
    ],
  });

const call = (cmd: string, more: object = {}): object => ({
  call: { tool: "exec_command", args: { cmd, ...more } },
});

/** The same for the fake codex, which ends itself after so many frames. */
export const fakeScript = ({ number }: Story, killAfter?: number): object => ({
  turns: [
    { expect: "^first", emit: [{ agent: `greeting ${number}` }] },
    {
      expect: "^work",
      emit: [
        { reasoning: "What is there to do?" },
        { agent: `looking ${number}`, phase: "commentary" },
        { exec: { cmd: "cat notes.txt", output: "the bench was here\n" } },
        { exec: { cmd: `echo written ${number}`, output: `written ${number}\n`, approve: true } },
        { exec: { cmd: background, background: true } },
        { agent: `finished ${number}` },
      ],
    },
    { expect: "^next", emit: [{ agent: `goodbye ${number}` }] },
    { expect: "^again", emit: [{ agent: `farewell ${number}` }] },
  ],
  faults: killAfter === undefined ? [] : [{ at: { frame: killAfter }, do: "sigkill" }],
  log: "wire.jsonl",
});
