import type { Usage } from "../core/events.ts";
import type { ModelUsage } from "./model.ts";

/** An answer may take several requests: each costs, the last one fills the context. */
export const addedUsage = (before: Usage | undefined, now: ModelUsage): Usage => ({
  input: (before?.input ?? 0) + now.input,
  cached: (before?.cached ?? 0) + now.cached,
  output: (before?.output ?? 0) + now.output,
  reasoning: (before?.reasoning ?? 0) + now.reasoning,
  context: { used: now.input + now.output },
});
