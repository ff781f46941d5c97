import type { DemoRequest } from "../../src/models/demo/demo-request.ts";
import type { Reply } from "../../src/models/demo/reply.ts";
import { type AnsweringModel, startAnsweringModel } from "../answering-model.ts";
import { answerTo, marksIn } from "./words.ts";

/** Answers what is asked in the last message. */
export type ChatModel = AnsweringModel & {
  /** What it was asked that it should not have been: words of another chat. */
  readonly broken: readonly string[];
  requests(): number;
};

/** `slowMs`: between the pieces of an answer. */
export async function startChatModel(slowMs: number): Promise<ChatModel> {
  const broken: string[] = [];
  let requests = 0;
  const answer = ({ userTexts }: DemoRequest, body: string): Reply => {
    requests += 1;
    const chats = new Set(marksIn(body).map(({ chat }) => chat));
    if (chats.size > 1)
      broken.push(`misplaced: the model was told words of the chats ${[...chats].join(", ")} at once`);
    return {
      content: [{ kind: "text", text: answerTo(userTexts.at(-1) ?? ""), chunks: 4 }],
      delivery: { slowMs },
    };
  };
  const model = await startAnsweringModel(answer);
  return {
    url: model.url,
    get reported() {
      return model.reported;
    },
    broken,
    requests: () => requests,
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  };
}
