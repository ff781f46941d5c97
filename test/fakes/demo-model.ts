import type { Clock } from "../../src/lib/clock.ts";
import type { ReportedTokens } from "../../src/models/demo/reply.ts";
import { startDemoModel as startServer } from "../../src/models/demo/server.ts";
import type { DemoScript } from "./demo-script.ts";
import { type RecordedRequest, requestLog } from "./request-log.ts";
import { scriptedReplies } from "./scripted-replies.ts";

export type DemoModel = AsyncDisposable & {
  /** The base address for a route: `http://127.0.0.1:…/v1`. */
  readonly url: string;
  /** Requests for an answer, oldest first. Without a script only the newest are kept. */
  readonly requests: readonly RecordedRequest[];
  /** How many there were, also those that a script did not allow. */
  readonly total: number;
  /** The tokens that its answers said they took: of each that was sent to the place where it says so, oldest first. */
  readonly reported: readonly ReportedTokens[];
  /** The n-th request, counted from 1, as soon as it has arrived. */
  waitForRequest(n: number): Promise<RecordedRequest>;
};

export type DemoModelOptions = {
  /** What to answer, request by request. Without one the built-in rules answer. */
  readonly script?: DemoScript;
  readonly clock: Clock;
  readonly onRequest?: (request: RecordedRequest) => void;
};

const keptWithoutScript = 20;

/** The demo model with a script, and with an eye on what it is asked and what it says that it took. */
export async function startDemoModel({ script, clock, onRequest }: DemoModelOptions): Promise<DemoModel> {
  const log = requestLog(script === undefined ? keptWithoutScript : Number.POSITIVE_INFINITY);
  const reported: ReportedTokens[] = [];
  const server = await startServer({
    clock,
    ...(script === undefined ? {} : { answer: scriptedReplies(script) }),
    onRequest: (asked) => {
      const request = log.add(asked);
      onRequest?.(request);
    },
    onReport: (tokens) => void reported.push(tokens),
  });
  return {
    url: server.url,
    requests: log.kept,
    reported,
    get total() {
      return log.total();
    },
    waitForRequest: log.wait,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
