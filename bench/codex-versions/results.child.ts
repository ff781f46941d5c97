/** Tells the tests of a run to whoever started it, a line of JSON each. */
import type { TestEvent } from "node:test/reporters";
import type { TestResult } from "./run-suite.ts";

export default async function* results(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of source) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    if (data.details.type === "suite") continue;
    const { name } = data;
    const result: TestResult =
      type === "test:pass"
        ? { name, passed: true }
        : { name, passed: false, why: wordsOf(data.details.error) };
    yield `${JSON.stringify(result)}\n`;
  }
}

/** The runner wraps what the test threw. */
function wordsOf(error: Error): string {
  const { cause } = error;
  return (cause instanceof Error ? cause.message : error.message).replaceAll(/\s+/g, " ");
}
