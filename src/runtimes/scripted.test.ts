import { playReplies, scriptedRuntime } from "../../test/fakes/scripted-runtime.ts";
import { runtimeSuite } from "./runtime.suite.ts";

runtimeSuite(
  "scripted, in memory",
  async (replies) => {
    const seen: string[] = [];
    const runtime = scriptedRuntime(playReplies(replies, seen));
    return { runtime, seenByModel: () => seen, async [Symbol.asyncDispose]() {} };
  },
  { sideTurn: false },
);
