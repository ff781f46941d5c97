import { z } from "zod";
import { Refusal } from "../core/host.ts";
import { type ApprovalRequest, type Tool, type ToolContext, failed } from "./tool.ts";

const schema = z.object({
  action: z.enum(["list", "add", "edit", "pause", "resume", "run", "remove"]),
  name: z.string().min(1).max(80).optional().describe("Which one, by name or id; with add what it is called"),
  when: z
    .string()
    .max(200)
    .optional()
    .describe('"in 30m", "every 2h", "0 9 * * 1-5" or 2026-11-20T09:00; of add and edit'),
  prompt: z
    .string()
    .max(20_000)
    .optional()
    .describe("What is to be done, so that it can be understood alone; of add and edit"),
  zone: z.string().max(60).optional().describe("In which times are meant, such as Europe/Berlin"),
  catch_up: z.enum(["once", "skip", "ask"]).optional().describe("What was missed while no host ran"),
});

export type CronCall = z.infer<typeof schema>;

export type CronSource = {
  /** What a call would do, or why nobody can allow it. */
  look(call: CronCall, context: ToolContext): Promise<CronIntent | { readonly refused: string }>;
  /** Does it, and says what has come of it. Rejects with a Refusal. */
  act(call: CronCall, context: ToolContext): Promise<string>;
};

/** `none`: it only looks · `own`: it makes less happen · `work`: something will be done while nobody is there */
export type CronIntent = { readonly leads: "none" | "own" | "work"; readonly summary: string };

const effects = { none: "none", own: "local", work: "external" } as const;

export const cronTool = (source: CronSource): Tool<typeof schema> => ({
  name: "cronjob",
  toolset: "schedules",
  description:
    "Do something later or again and again, while nobody is there: list, add, edit, pause, resume, run (now) or remove " +
    "schedules. Each run is a conversation of its own that knows only its prompt; its answer is shown to the person. " +
    "Only for what the person wants to happen by itself.",
  schema,
  deferred: true,
  effect: "external",
  timeoutMs: 30_000,
  maxOutputChars: 20_000,
  inOrder: true,
  async asks(call, context): Promise<ApprovalRequest> {
    const found = await source.look(call, context).catch(refusalText);
    if ("refused" in found) return found;
    const { leads, summary } = found;
    return {
      cwd: context.cwd,
      effect: effects[leads],
      action: { kind: "tool" },
      summary,
      ...(leads === "work" ? { reason: "It is done while nobody is there, with your rights." } : {}),
    };
  },
  run: (call, context) =>
    source.act(call, context).then(
      (output) => ({ ok: true, output }),
      (error: unknown) => failed(`Nothing was changed. ${refusalText(error).refused}`),
    ),
});

function refusalText(error: unknown): { readonly refused: string } {
  if (!(error instanceof Refusal)) throw error;
  return { refused: `${error.message} ${error.next}`.trim() };
}
