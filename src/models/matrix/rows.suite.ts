import { answerRows } from "./answer-rows.suite.ts";
import { httpRows } from "./http-rows.suite.ts";
import type { Row } from "./row.suite.ts";
import { streamRows } from "./stream-rows.suite.ts";

/** Everything a provider is known to do, once for each protocol. */
export const rows: readonly Row[] = [...httpRows, ...streamRows, ...answerRows];
