import { systemClock } from "../../src/lib/clock.ts";
import type { OfferedTool } from "../../src/models/demo/demo-request.ts";
import { type Content, textReply } from "../../src/models/demo/reply.ts";
import { type AnsweringModel, startAnsweringModel } from "../answering-model.ts";
import { attempt } from "./attempt.ts";
import type { Step } from "./story.ts";

export type GhostModel = AnsweringModel & {
  /** What was on offer in the last request. */
  readonly offered: () => readonly OfferedTool[];
  /** What it does when somebody says `mark`. */
  play(mark: string, step: Step): void;
  /** Resolves when it is asked and says nothing more. */
  readonly silent: () => Promise<void>;
  /** Resolves when it was not asked for a while. */
  quiet(): Promise<void>;
};

/** Long enough for codex to begin something by itself: it does so at once. */
const quietMs = 400;

/** Tries what it is told to, once in each turn, and says a word after it. Whoever else asks gets a word, too. */
export async function startGhostModel(): Promise<GhostModel> {
  const steps = new Map<string, Step>();
  let offered: readonly OfferedTool[] = [];
  let lastMs = 0;
  let silence = Promise.withResolvers<void>();
  const server = await startAnsweringModel((conversation, heard) => {
    lastMs = systemClock.monotonic();
    offered = conversation.tools;
    const mark = conversation.userTexts.at(-1) ?? "";
    const step = steps.get(mark);
    if (step === undefined) return textReply("Nobody told me what to do.");
    if (conversation.results.length === 0 && step.tries.length > 0)
      return { content: step.tries.map((tool): Content => attempt(tool, mark, heard)) };
    if (step.way !== "stop") return textReply(`Tried ${mark}.`);
    silence.resolve();
    return { content: [{ kind: "hang" }] };
  });
  return {
    url: server.url,
    get reported() {
      return server.reported;
    },
    offered: () => offered,
    play: (mark, step) => void steps.set(mark, step),
    async silent() {
      await silence.promise;
      silence = Promise.withResolvers();
    },
    async quiet() {
      lastMs = systemClock.monotonic();
      for (;;) {
        const left = lastMs + quietMs - systemClock.monotonic();
        if (left <= 0) return;
        await systemClock.sleep(left, new AbortController().signal);
      }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
