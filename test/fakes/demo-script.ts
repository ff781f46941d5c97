import { z } from "zod";
import { FaultError } from "../../src/core/faults.ts";

const milliseconds = z.number().int().nonnegative();
const counted = z.number().int().nonnegative();

/** One part of a scripted reply; exactly one key each. */
const part = z.union([
  z.strictObject({
    text: z.string(),
    chunks: z.number().int().positive().optional(),
    phase: z.enum(["commentary", "final_answer"]).optional(),
  }),
  z.strictObject({
    reasoning: z.strictObject({
      summary: z.union([z.string().transform((text) => [text]), z.array(z.string())]).default([]),
      raw: z.string().default(""),
    }),
  }),
  /** `?read` is the first offered tool with `read` in its name. Arguments that are a string are sent as they are. */
  z.strictObject({
    call: z.strictObject({
      tool: z.string().min(1),
      args: z.json().default({}),
      /** For a tool that is not on offer: one that was offered is called where it is. */
      namespace: z.string().min(1).optional(),
    }),
  }),
  /** Looks for tools that are not shown, as codex has it. Only over `responses`. */
  z.strictObject({ search: z.strictObject({ query: z.string() }) }),
  z.strictObject({ custom: z.strictObject({ tool: z.string().min(1), input: z.string() }) }),
  /** The tokens that it reports, instead of what its size would be. */
  z.strictObject({ usage: z.strictObject({ input: counted, output: counted }) }),
  z.strictObject({ slow: z.strictObject({ ms: milliseconds }) }),
  z.strictObject({ hang: z.literal(true) }),
  z.strictObject({
    http: z.strictObject({
      status: z.number().int().min(200).max(599),
      headers: z.record(z.string(), z.string()).default({}),
      body: z.json().default(""),
    }),
  }),
  z.strictObject({
    cut: z.union([z.strictObject({ afterBytes: counted }), z.strictObject({ afterFrames: counted })]),
  }),
  z.strictObject({ wrongFirst: z.string().min(1) }),
  z.strictObject({ errorFrame: z.strictObject({ code: z.string(), message: z.string() }) }),
  z.strictObject({ whole: z.literal(true) }),
  z.strictObject({ empty: z.literal(true) }),
  z.strictObject({ huge: z.strictObject({ bytes: z.number().int().positive() }) }),
  z.strictObject({ noCompleted: z.literal(true) }),
  z.strictObject({ malformed: z.literal(true) }),
  z.strictObject({ html: z.literal(true) }),
]);

const regex = z.string().refine(isRegex, "is not a regular expression");

const script = z.strictObject({
  maxRequests: z.number().int().positive().default(50),
  steps: z.array(z.strictObject({ when: regex.optional(), reply: z.array(part).min(1) })).default([]),
  /** For requests that no step is left for. */
  otherwise: z.array(part).min(1).optional(),
});

export type DemoScript = z.infer<typeof script>;
export type ScriptPart = z.infer<typeof part>;

/** Throws a `FaultError` that names the place in the script. */
export function parseDemoScript(json: unknown): DemoScript {
  const parsed = script.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new FaultError({
    code: "config",
    message: `The demo script cannot be used: ${z.prettifyError(parsed.error).replaceAll(/\s+/g, " ")}`,
    next: "Correct the script; test/fakes/demo-script.ts lists what a reply may hold.",
  });
}

function isRegex(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch {
    return false;
  }
}
