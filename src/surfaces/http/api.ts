import type { Hono } from "hono";
import type { Follow } from "../../core/event-log.ts";
import { asId } from "../../core/ids.ts";
import { edge } from "../../operations/edge.ts";
import { noSuchOperation } from "../../operations/in-process.ts";
import { operationNamed } from "../../operations/table.ts";
import type { Answered } from "../../core/asking.ts";
import { answeredWith, isAnswer } from "./answered.ts";
import { jsonBody } from "./body.ts";
import { requireBudget } from "./key-budget.ts";
import { begun, cursorIn, errorFrame, frame, streamed } from "./sse.ts";
import type { Behind, Env } from "./visit.ts";

/** Every operation of the table by its name, and what happens as a stream that can be read again. */
export function apiRoutes(app: Hono<Env>, behind: Behind): void {
  const { clock, http } = behind;
  app.get("/api/events", async (c) => {
    const after = cursorIn(c);
    const session = c.req.query("session");
    const wanted: Follow = {
      of: session === undefined ? "all" : { session: asId<"ses">(session) },
      ...(after === undefined ? {} : { after }),
    };
    const left = new AbortController();
    const events = await begun(
      await edge(c.get("client")).open("events.follow", wanted, left.signal),
      "first",
    );
    return streamed(c, framed(events, cursorOf), clock, () => left.abort());
  });

  app.post("/api/:operation", async (c) => {
    const name = c.req.param("operation");
    const input = await jsonBody(c, http.settings.bodyBytes);
    const operation = operationNamed.get(name);
    if (operation === undefined || operation.at !== undefined) throw noSuchOperation(name);
    if (name === "turns.send") await requireBudget(c.get("visitor"), behind);
    const here = edge(c.get("client"));
    if (operation.stream !== true) {
      const result = await here.ask(name, input, c.get("gone"));
      return isAnswer(name) ? answeredWith(c, result as Answered) : c.json(result as never);
    }
    const left = new AbortController();
    const values = await begun(await here.open(name, input, left.signal));
    return streamed(c, framed(values), clock, () => left.abort());
  });
}

const cursorOf = (value: unknown): { readonly id?: string } => {
  const { cursor } = value as { readonly cursor?: string };
  return cursor === undefined ? {} : { id: cursor };
};

/** A stream ends with `end`, or with `error` and the same that an answer would say. */
async function* framed(
  values: AsyncIterable<unknown>,
  idOf: (value: unknown) => { readonly id?: string } = () => ({}),
): AsyncGenerator<string, void, void> {
  try {
    for await (const value of values) yield frame(value, idOf(value));
    yield frame({}, { event: "end" });
  } catch (error) {
    yield errorFrame(error, "error");
  }
}
