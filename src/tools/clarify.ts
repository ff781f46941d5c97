import { z } from "zod";
import type { Tool } from "./tool.ts";

const schema = z.object({
  question: z.string().trim().min(1).max(2000).describe("One question, with what the answer decides"),
  choices: z
    .array(z.string().trim().min(1).max(200))
    .max(6)
    .optional()
    .describe("Answers to choose from; the person may also answer in their own words"),
});

/** A question for information, wherever the person is. What may be done is asked by approvals, never by this. */
export const clarifyTool: Tool<typeof schema> = {
  name: "clarify",
  toolset: "clarify",
  description:
    "Ask the person one question when the task cannot be done well without the answer. Not for permission: what needs " +
    "that is asked by itself. Not for what you can find out or decide yourself.",
  schema,
  effect: "none",
  // A question ends by itself before this.
  timeoutMs: 24 * 60 * 60_000,
  maxOutputChars: 20_000,
  interactive: true,
  async run({ question, choices = [] }, { inquire, signal }) {
    const options = [...new Set(choices)];
    const field = { name: "answer", label: question, ...(options.length === 0 ? {} : { options }) };
    const answers = await inquire({ title: "The agent asks", fields: [field] }, signal);
    const answer = answers?.["answer"]?.trim() ?? "";
    if (answer !== "") return { ok: true, output: answer };
    return {
      ok: false,
      output:
        "There is no answer: nobody was there, or they did not want to answer. Go on with what is most sensible and " +
        "say which assumption you made, or stop and say what you need to know.",
    };
  },
};
