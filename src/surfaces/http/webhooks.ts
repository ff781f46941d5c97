import type { Hono } from "hono";
import { delimited } from "../../core/text/delimited.ts";
import { newId } from "../../core/ids.ts";
import type { Caller } from "../../core/principal.ts";
import { hashOf, isSecretOf } from "../../lib/secret.ts";
import { bodyText } from "./body.ts";
import { HttpFailure } from "./failures.ts";
import { perMinute, tooMany } from "./limits.ts";
import { idFor } from "./v1/conversation.ts";
import type { Behind, Env } from "./visit.ts";

const mostBytes = 1_000_000;
const mostPerMinute = 60;
/** How far its time may be from ours: what was written down somewhere is worth nothing later. */
const windowMs = 5 * 60_000;

/** `POST /webhooks/NAME`: what another service reports becomes a message, for a program that nobody attends. */
export function webhookRoutes(app: Hono<Env>, { host, http, clock }: Behind): void {
  const calls = perMinute(mostPerMinute, clock);
  app.post("/webhooks/:name", async (c) => {
    // Nothing more of a body is read than what came with the headers, unless the secret is right.
    c.header("Connection", "close");
    const name = c.req.param("name");
    const hook = Object.hasOwn(http.settings.webhooks, name) ? http.settings.webhooks[name] : undefined;
    const secret = hook === undefined ? undefined : http.secret(hook.secretEnv);
    const given = c.req.header("X-Talaria-Secret") ?? "";
    const isRight = isSecretOf(hashOf(secret ?? crypto.randomUUID()), given);
    const wait = calls.add(isRight ? name : "others");
    if (wait !== undefined) throw tooMany("calls of webhooks", wait);
    if (hook === undefined || !isRight)
      throw new HttpFailure(
        401,
        "unauthorized",
        "This needs the webhook's secret.",
        "Send it as X-Talaria-Secret; http.webhooks names its variable.",
      );
    const at = Number(c.req.header("X-Talaria-Timestamp") ?? Number.NaN) * 1000;
    if (!(Math.abs(clock.now() - at) <= windowMs))
      throw new HttpFailure(
        400,
        "too_old",
        "This was sent too long ago, or says no time.",
        "Send X-Talaria-Timestamp, in seconds since 1970.",
      );
    const delivery = c.req.header("X-Talaria-Delivery") ?? "";
    if (!/^[\w.:-]{1,200}$/.test(delivery))
      throw new HttpFailure(
        400,
        "usage",
        "A delivery needs a name of its own.",
        "Send X-Talaria-Delivery, another one each time.",
      );
    const body = await bodyText(c, mostBytes);
    const caller: Caller = {
      surface: "webhook",
      id: name,
      name,
      role: "program",
      local: false,
      scopes: ["operate"],
    };
    const { session, inbox, state } = await host.as(caller).call("turns.send", {
      key: { account: name, chat: "webhook", messageId: delivery },
      session: { id: newId("ses", clock.now()) },
      input: [{ type: "text", text: `${hook.prompt}\n\n${delimited(`the webhook ${name}`, body)}` }],
      whenBusy: "queue",
      attended: "none",
    });
    return c.json({ id: idFor("run_", inbox), session }, state === "duplicate" ? 200 : 202);
  });
}
