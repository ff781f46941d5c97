import { type DemoScript, parseDemoScript } from "./demo-script.ts";
import type { ModelReply } from "../../src/runtimes/runtime.suite.ts";

/** The runtime suite's replies as a script of the demo model. */
export function demoScript(replies: readonly ModelReply[]): DemoScript {
  return parseDemoScript({ steps: replies.map((reply) => ({ reply: parts(reply) })) });
}

function parts({ thinks, says, calls = [], hangs, httpStatus }: ModelReply): object[] {
  if (httpStatus !== undefined) {
    return [{ http: { status: httpStatus, body: { error: { message: `refused with ${httpStatus}` } } } }];
  }
  return [
    ...(thinks === undefined ? [] : [{ reasoning: { summary: thinks } }]),
    ...(says === undefined ? [] : [{ text: says }]),
    ...calls.map(({ tool, args }) => ({ call: { tool, args } })),
    ...(hangs === true ? [{ hang: true }] : []),
  ];
}
