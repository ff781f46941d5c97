import type { Context, Hono } from "hono";
import { z } from "zod";
import { Refusal, type TurnChoices } from "../../../core/host.ts";
import { asId } from "../../../core/ids.ts";
import type { InputFate } from "../../../core/ledger.ts";
import { efforts } from "../../../core/session.ts";
import { jsonBody } from "../body.ts";
import { answeredWith } from "../answered.ts";
import { HttpFailure } from "../failures.ts";
import { begun, cursorIn, errorFrame, frame, streamed } from "../sse.ts";
import type { Behind, Env } from "../visit.ts";
import { sendTo, tokensOf } from "./answer.ts";
import { conversationOf, idFor, inboxOf } from "./conversation.ts";
import { outputSchema, parsed } from "./fields.ts";
import { chosenModel, ownModel } from "./models.ts";
import { unkept } from "./promised.ts";
import { content, saidIn } from "./said.ts";
import { namedRequest } from "./same-request.ts";

const request = z.strictObject({
  input: content.unwrap().unwrap(),
  instructions: z.string().optional(),
  model: z.string().optional(),
  effort: z.enum(efforts).optional(),
  conversation: z.string().optional(),
  output_schema: z.json().optional(),
  when_busy: z.enum(["queue", "refuse"]).optional(),
  tools: z.tuple([]).optional(),
});

export const runFields = Object.keys(request.shape);

const steering = z.strictObject({ input: content.unwrap().unwrap() });
const answer = z.strictObject({
  approval: z.string().startsWith("apr_"),
  choice: z.enum(["once", "session", "always", "deny"]),
});

/** Runs: a message whose turn goes on whoever listens, read again by its id. */
export function runRoutes(app: Hono<Env>, behind: Behind): void {
  app.post("/v1/runs", async (c) => {
    const raw = await jsonBody(c, behind.http.settings.bodyBytes);
    const body = parsed(request, raw);
    const named = await namedRequest(c, behind, raw);
    const choices: TurnChoices = {
      ...(await chosenModel(c.get("client"), body.model ?? ownModel, behind)),
      ...(body.effort === undefined ? {} : { effort: body.effort }),
      ...(body.output_schema === undefined ? {} : outputSchema("output_schema", body.output_schema)),
      ...(body.tools === undefined ? {} : { tools: false }),
    };
    const said = saidIn([{ role: "user", content: body.input }], "input", body.instructions);
    const naming = body.conversation === undefined ? {} : { conversation: body.conversation };
    const find = () => conversationOf(c, behind, said, naming);
    const run = await sendTo(c, behind, find, choices, {
      request: named,
      whenBusy: body.when_busy ?? "queue",
    });
    run.leave();
    return c.json(runOf(await fate(c, run.inbox)), run.state === "duplicate" ? 200 : 202);
  });

  app.get("/v1/runs/:id", async (c) => {
    const found = await fate(c, idOf(c));
    const { ran } = found;
    if (ran === undefined || ran.state === "open") return c.json(runOf(found));
    const items = await c.get("client").call("sessions.items", { turn: ran.id });
    const texts = items.flatMap((item) =>
      item.kind === "text" && item.phase !== "commentary" ? [item.text] : [],
    );
    const output = texts.at(-1) ?? "";
    const kept = { access: behind.http.access, account: c.get("visitor").id };
    const why = ran.state === "done" ? await unkept(kept, found.id, output) : undefined;
    return c.json({
      ...runOf(found),
      ...(why === undefined ? {} : { status: "failed", error: why }),
      output,
    });
  });

  app.get("/v1/runs/:id/events", async (c) => {
    const inbox = idOf(c);
    const { session, state, ran } = await fate(c, inbox);
    const after = cursorIn(c) ?? "start";
    const left = new AbortController();
    // Nothing more comes of one that is over, wherever the reader is.
    const isOver = state === "kept" || (ran !== undefined && ran.state !== "open");
    const wanted = { of: { session }, after, ...(isOver ? { once: true as const } : {}) };
    const events = await begun(c.get("client").call("events.follow", wanted, left.signal), "first");
    return streamed(c, ofRun(c, inbox, events), behind.clock, () => left.abort());
  });
}

/** What can be said to one. */
export function runActionRoutes(app: Hono<Env>, behind: Behind): void {
  app.post("/v1/runs/:id/stop", async (c) => {
    const { session, ran } = await fate(c, idOf(c));
    if (ran !== undefined && ran.state !== "open")
      throw new HttpFailure(409, "ended", "This run has ended.", "There is nothing to stop.");
    return c.json(await c.get("client").call("turns.stop", { session }));
  });

  app.post("/v1/runs/:id/steer", async (c) => {
    const { input } = parsed(steering, await jsonBody(c, behind.http.settings.bodyBytes));
    const { session, id, state, ran } = await fate(c, idOf(c));
    if (state === "kept" || (ran !== undefined && ran.state !== "open"))
      throw new HttpFailure(
        409,
        "ended",
        "This run has ended.",
        "Send another one: POST /v1/runs with its session as `conversation`.",
      );
    const said = saidIn([{ role: "user", content: input }], "input");
    const conversation = { id: session, session, input: said.now, kept: async () => {} };
    const run = await sendTo(c, behind, async () => conversation, {}, { whenBusy: "steer" });
    run.leave();
    return c.json({ id: idFor("run_", id), state: run.state, run: idFor("run_", run.inbox) });
  });

  app.post("/v1/runs/:id/approval", async (c) => {
    const { approval, choice } = parsed(answer, await jsonBody(c, 10_000));
    const found = await fate(c, idOf(c));
    if (!(found.asks.some(({ id }) => id === approval) || (await hasAsked(c, found, approval))))
      throw new Refusal(
        "not_found",
        "This run does not ask that.",
        "GET it again: `asks` has what it waits for.",
      );
    const given = { approval: asId<"apr">(approval), choice };
    return answeredWith(c, await c.get("client").call("approvals.answer", given));
  });
}

const idOf = (c: Context<Env>) => inboxOf(c.req.param("id") ?? "", "run_");
const fate = (c: Context<Env>, inbox: ReturnType<typeof idOf>): Promise<InputFate> =>
  c
    .get("client")
    .call("inputs.get", { inbox })
    .catch((error: unknown) => {
      if (!(error instanceof Refusal) || error.code !== "not_found") throw error;
      const run = (c.req.param("id") ?? "").slice(0, 60);
      throw new Refusal("not_found", `There is no run ${run}.`, "POST /v1/runs begins one, and says its id.");
    });

/** Of what was decided meanwhile, the log knows that it was asked. */
async function hasAsked(c: Context<Env>, { session, turn }: InputFate, id: string): Promise<boolean> {
  const wanted = { of: { session }, after: "start", once: true } as const;
  for await (const event of c.get("client").call("events.follow", wanted))
    if (event.type === "approval" && event.turn === turn && event.approval.id === id) return true;
  return false;
}

const runOf = ({ id, session, receivedAt, state, ran, asks }: InputFate) => {
  const { input, cached, output, reasoning } = tokensOf(ran?.usage);
  return {
    id: idFor("run_", id),
    object: "run",
    session,
    created_at: Math.floor(receivedAt / 1000),
    status: statusOf(state, ran, asks),
    asks: asks.map(({ id: approval, shown, choices, expiresAt }) => ({
      approval,
      shown,
      choices,
      expires_at: Math.floor(expiresAt / 1000),
    })),
    error: ran?.fault ?? null,
    usage: ran?.usage === undefined ? null : { input, cached, output, reasoning },
  };
};

function statusOf(state: InputFate["state"], ran: InputFate["ran"], asks: InputFate["asks"]): string {
  if (state === "kept") return "set_aside";
  if (ran === undefined) return state === "waiting" ? "queued" : state;
  if (ran.state !== "open") return ran.state;
  return asks.length > 0 ? "waiting_for_approval" : "running";
}

/** What the log has of one run, to its end. */
async function* ofRun(
  c: Context<Env>,
  inbox: ReturnType<typeof idOf>,
  events: AsyncIterable<{ readonly type: string; readonly turn?: string; readonly cursor?: string }>,
): AsyncGenerator<string, void, void> {
  let turn: string | undefined;
  try {
    for await (const event of events) {
      if (event.turn !== undefined && event.turn !== turn) turn = (await fate(c, inbox)).turn ?? turn;
      if (event.turn !== undefined && event.turn !== turn) continue;
      const isOfSession = event.turn === undefined && event.type !== "resume" && event.type !== "heartbeat";
      if (isOfSession) continue;
      yield frame(event, event.cursor === undefined ? {} : { id: event.cursor });
      if (event.type === "ended") return;
    }
  } catch (error) {
    yield errorFrame(error, "error");
  }
}
