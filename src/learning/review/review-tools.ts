import type { ToolBox, ToolResult } from "../../tools/tool.ts";

/** All that a review may use. It cannot change anything else, whatever it calls. */
export const reviewToolNames: ReadonlySet<string> = new Set([
  "memory",
  "skills_list",
  "skill_view",
  "skill_manage",
]);

/** A review that needs more than these goes round in circles. */
const mostCalls = 16;

/** What a review sees of a session's tools. */
export function reviewTools(box: ToolBox): ToolBox {
  let calls = 0;
  return {
    specs: box.specs.filter(({ name }) => reviewToolNames.has(name)),
    enabled: box.enabled.filter((name) => reviewToolNames.has(name)),
    async call(name, args, signal, progress) {
      calls += 1;
      if (!reviewToolNames.has(name))
        return refused(`${name} was not run: a review has memory and skills alone.`);
      if (calls > mostCalls)
        return refused(`${name} was not run: this review has used up its calls. End it now.`);
      return box.call(name, args, signal, progress);
    },
  };
}

const refused = (output: string): ToolResult => ({ ok: false, output });
