import { createRequire } from "node:module";
import { join } from "node:path";
import type { OpenAi } from "./openai-side.ts";
import { type Side, type SideOptions, answer, said } from "./side.ts";
import { stopwatch } from "./stopwatch.ts";

/** What is used of the `@openai/agents` package. */
type Toolkit = {
  readonly Agent: new (options: object) => object;
  tool(options: object): object;
  run(agent: object, input: readonly object[], how: { readonly stream: true }): Promise<Running>;
  setDefaultOpenAIClient(client: object): void;
  setTracingDisabled(off: boolean): void;
};

type Running = AsyncIterable<{ readonly type: string; readonly data?: { readonly type?: string } }> & {
  readonly completed: Promise<void>;
  readonly finalOutput?: string;
  readonly history: readonly object[];
};

/** An agent loop in memory, with the same instructions and the same tools, none of which is called. */
export async function toolkitSide({ modelUrl, body, packages }: SideOptions): Promise<Side> {
  const load = createRequire(join(packages, "package.json"));
  const { OpenAI } = load("openai") as OpenAi;
  const { Agent, tool, run, setDefaultOpenAIClient, setTracingDisabled } = load("@openai/agents") as Toolkit;
  setDefaultOpenAIClient(new OpenAI({ baseURL: modelUrl, apiKey: "none" }));
  setTracingDisabled(true);
  const { model, instructions, tools = [] } = body;
  const own = tools.map(({ name, description, parameters }) =>
    tool({
      name,
      description,
      parameters: { ...parameters, additionalProperties: true },
      strict: false,
      execute: async () => "",
    }),
  );
  const agent = new Agent({ name: "bench", model, instructions, tools: own });
  const watch = stopwatch();
  let history: readonly object[] = [];
  return {
    open: () => void (history = []),
    async turn() {
      watch.start();
      const running = await run(agent, [...history, { role: "user", content: said }], { stream: true });
      for await (const { data } of running) if (data?.type === "output_text_delta") watch.mark("first");
      await running.completed;
      watch.mark("ended");
      ({ history } = running);
      return { marks: watch.marks(), afterMs: watch.elapsed(), done: running.finalOutput === answer };
    },
    async [Symbol.asyncDispose]() {},
  };
}
