import { createRequire } from "node:module";
import { join } from "node:path";
import { type Message, reply, userMessage } from "./conversation.ts";
import { type Side, type SideOptions, answer } from "./side.ts";
import { stopwatch } from "./stopwatch.ts";

/** What is used of the `openai` package. */
export type OpenAi = {
  readonly OpenAI: new (options: { readonly baseURL: string; readonly apiKey: string }) => {
    readonly responses: {
      stream(body: object): AsyncIterable<{ readonly type: string; readonly delta?: string }> & {
        finalResponse(): Promise<{ readonly output_text: string }>;
      };
    };
  };
};

/** Its own stream helper, which puts the response together while it comes. */
export async function openaiSide({ modelUrl, body, packages }: SideOptions): Promise<Side> {
  const load = createRequire(join(packages, "package.json"));
  const { OpenAI } = load("openai") as OpenAi;
  const client = new OpenAI({ baseURL: modelUrl, apiKey: "none" });
  const watch = stopwatch();
  let history: readonly Message[] = [];
  return {
    open: () => void (history = []),
    async turn() {
      watch.start();
      const input = [...history, userMessage];
      const stream = client.responses.stream({ ...body, input });
      for await (const { type } of stream) {
        if (type === "response.output_text.delta") watch.mark("first");
        if (type === "response.completed") watch.mark("ended");
      }
      const { output_text: text } = await stream.finalResponse();
      history = [...input, reply(text)];
      return { marks: watch.marks(), afterMs: watch.elapsed(), done: text === answer };
    },
    async [Symbol.asyncDispose]() {},
  };
}
