import { textReply } from "../../src/models/demo/reply.ts";
import { isReview, startAnsweringModel } from "../answering-model.ts";
import type { Call } from "../poison/obedient-model.ts";
import { deeds, numberIn } from "./facts.ts";
import { firstCall } from "./home.ts";

export type ReviewModel = AsyncDisposable & {
  readonly url: string;
  /** Requests of reviews are counted from here. */
  newLife(): void;
  /** Resolves when that request of a review has come. */
  reviewRequest(n: number): Promise<void>;
};

/** Answers a person with a word, and writes what they said into memory and a skill when it looks back. */
export async function startReviewModel(slowMs?: number): Promise<ReviewModel> {
  let count = 0;
  let waiting: { readonly n: number; readonly resolve: () => void }[] = [];
  const server = await startAnsweringModel((conversation) => {
    const { userTexts: said, results } = conversation;
    const word = said.findLast((text) => numberIn(text) >= 0) ?? "";
    if (!isReview(conversation)) {
      const isFirst = numberIn(said.at(-1) ?? "") === 0 && results.length === 0;
      return isFirst ? { content: [callOf(firstCall)] } : textReply("Yes.");
    }
    count += 1;
    waiting.filter(({ n }) => n <= count).forEach(({ resolve }) => resolve());
    waiting = waiting.filter(({ n }) => n > count);
    const next = deeds(numberIn(word))[results.length];
    const reply = next === undefined ? textReply("Kept.") : { content: [callOf(next)] };
    return slowMs === undefined ? reply : { ...reply, delivery: { slowMs } };
  });
  return {
    url: server.url,
    newLife: () => {
      count = 0;
      waiting = [];
    },
    reviewRequest: (n) =>
      new Promise<void>((resolve) => {
        if (count >= n) resolve();
        waiting.push({ n, resolve });
      }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const callOf = ({ tool, args }: Call) => ({ kind: "call", tool, args: JSON.stringify(args) }) as const;
