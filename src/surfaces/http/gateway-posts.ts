import type { Hono } from "hono";
import { bodyText } from "./body.ts";
import { HttpFailure } from "./failures.ts";
import { perMinute, tooMany } from "./limits.ts";
import type { Behind, Env } from "./visit.ts";

const mostBytes = 1_000_000;
const mostPerMinute = 1200;

/** `POST /gateway/SURFACE`: what a chat app brings over HTTP. Whether it is the app that does is for its adapter to say. */
export function gatewayRoutes(app: Hono<Env>, { host, clock }: Behind): void {
  const calls = perMinute(mostPerMinute, clock);
  app.post("/gateway/:surface", async (c) => {
    // Nothing more of a body is read than what came with the headers, unless it is the app's.
    c.header("Connection", "close");
    const wait = calls.add("gateway");
    if (wait !== undefined) throw tooMany("calls of chat apps", wait);
    const posted = { header: (name: string) => c.req.header(name), body: () => bodyText(c, mostBytes) };
    const answer = await host.gateway.live()?.receive(c.req.param("surface"), posted);
    if (answer === undefined)
      throw new HttpFailure(
        404,
        "not_found",
        "No chat app brings messages here.",
        "See docs/user/gateway.md.",
      );
    return c.body(answer.body, answer.status as 200);
  });
}
