import type { Platform } from "../../src/core/gateway/chat.ts";
import { type ChatHome, newChatHome } from "./home.ts";
import type { MutantName } from "./mutants.ts";
import { type Strike, struck } from "./strikes.ts";

type Moment = {
  readonly mutant: MutantName;
  /** Where somebody asks something. */
  readonly surface: Platform;
  readonly strike: Strike;
  /** What is to be noticed. */
  readonly says: RegExp;
};

/** Each mistake at the moment at which it shows. The next host finds what the one before has left, and the last one comes twice. */
const moments: readonly Moment[] = [
  {
    mutant: "acknowledged before it is stored",
    surface: "telegram",
    strike: { at: "step", step: "received", when: "before", times: 1 },
    says: /^lost: message 0 was never received \(telegram/,
  },
  {
    mutant: "sent before its row says so",
    surface: "slack",
    strike: { at: "post", surface: "slack", isDone: true, times: 1 },
    says: /^doubled: message 0 is answered twice \(slack/,
  },
  {
    mutant: "sent again without asking",
    surface: "telegram",
    strike: { at: "post", surface: "telegram", isDone: true, times: 1 },
    says: /^doubled: message 1 is answered twice \(telegram/,
  },
];

/** Deliberate mistakes, one after the other in one home. Whichever is not noticed is a fault of the bench. */
export async function caughtMutants(
  log: (line: string) => void,
): Promise<{ readonly mutantsCaught: readonly MutantName[]; readonly mutants: number }> {
  await using home = await newChatHome(2);
  for (const moment of moments) await make(home, moment);
  await home.settle({ mutant: "sent again without asking" });
  const { broken } = home.verdict();
  for (const line of broken) log(`mutants: ${line}`);
  const caught = moments.filter(({ says }) => broken.some((line) => says.test(line)));
  return { mutantsCaught: caught.map(({ mutant }) => mutant), mutants: moments.length };
}

async function make(home: ChatHome, { mutant, surface, strike }: Moment): Promise<void> {
  const host = await home.start({ mutant, ...(strike.at === "step" ? { strike } : {}) });
  await host.connected;
  for (const chat of home.platforms.chats) if (chat.surface === surface) chat.ask();
  await struck(strike, host, home.platforms);
}
