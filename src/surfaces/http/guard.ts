import type { Context, MiddlewareHandler } from "hono";
import { HttpFailure } from "./failures.ts";
import { canonical, perMinute, tooMany } from "./limits.ts";
import { prove } from "./prove.ts";
import type { Behind, Env } from "./visit.ts";
import type { Visitors } from "./visitors.ts";

/** Wrong keys from one address in a minute, before it only hears that it has to wait. */
const mostFailures = 10;

/** What every answer says, whatever it is. */
export const securityHeaders: MiddlewareHandler<Env> = async (c, next) => {
  await next();
  const headers = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Content-Security-Policy":
      "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  };
  for (const [name, value] of Object.entries(headers))
    if (!c.res.headers.has(name)) c.res.headers.set(name, value);
};

/**
 * Where a request comes from, before anything else of it is looked at. A page elsewhere that was made to point here, or
 * that guesses where we are, has another Host or Origin.
 */
export const whereFrom =
  ({ hosts, origins, http }: Behind): MiddlewareHandler<Env> =>
  async (c, next) => {
    const { headers, rawHeaders } = c.env.incoming;
    const named = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length;
    // Of two, somebody in between may believe the other one.
    if (named !== 1 || !hosts.has((headers.host ?? "").toLowerCase()))
      throw new HttpFailure(
        421,
        "wrong_host",
        "Nobody is called that here.",
        "Use the address that `talaria serve` prints, or name it in http.hosts.",
      );
    const origin = c.req.header("Origin");
    const isListed = origin !== undefined && http.settings.origins.includes(origin);
    if (origin !== undefined && !isListed && !origins.has(origin))
      throw new HttpFailure(
        403,
        "wrong_origin",
        "This page may not ask.",
        "Name it in http.origins, if it is yours.",
      );
    const tokens = ["key", "token", "api_key", "access_token", "code"];
    if (tokens.some((name) => c.req.query(name) !== undefined))
      throw new HttpFailure(
        400,
        "token_in_address",
        "A key does not belong into an address.",
        "Send `Authorization: Bearer KEY`. If it was a real one, revoke it: addresses are written down.",
      );
    if (isListed && c.req.method === "OPTIONS") return preflight(c, origin);
    await next();
    if (isListed) allowPage(c.res.headers, origin);
    return undefined;
  };

function preflight(c: Context<Env>, origin: string): Response {
  const answer = c.body(null, 204);
  allowPage(answer.headers, origin);
  answer.headers.set("Access-Control-Allow-Methods", "GET, POST, DELETE");
  // Packages for browsers send headers about themselves; whichever they are, without a key they open nothing.
  answer.headers.set("Access-Control-Allow-Headers", c.req.header("Access-Control-Request-Headers") ?? "");
  answer.headers.set("Access-Control-Max-Age", "600");
  return answer;
}

function allowPage(headers: Headers, origin: string): void {
  headers.set("Access-Control-Allow-Origin", origin);
  headers.set("Access-Control-Expose-Headers", "x-talaria-session, x-talaria-without-effect, retry-after");
  headers.set("Cross-Origin-Resource-Policy", "cross-origin");
  headers.append("Vary", "Origin");
}

/** Lets in whom it knows. `isOpen`: what anybody may ask, or what has a proof of its own. */
export const onlyKnown = (
  behind: Behind,
  inside: Visitors,
  isOpen: (method: string, path: string) => boolean,
): MiddlewareHandler<Env> => {
  const failures = perMinute(mostFailures, behind.clock);
  return async (c, next) => {
    if (isOpen(c.req.method, c.req.path)) return next();
    const visitor = await prove(c, behind).catch((error: unknown) => {
      // The address of the connection: what a header says of it anybody can write.
      const wait = failures.add(canonical(c.env.incoming.socket.remoteAddress));
      throw wait === undefined ? error : tooMany("keys that do not work", wait);
    });
    const { gone, leave } = inside.enter(visitor);
    c.set("visitor", visitor);
    c.set("client", behind.host.as(visitor.caller));
    c.set("gone", gone);
    c.set("leave", leave);
    try {
      await next();
    } finally {
      if (c.get("streaming") !== true) leave();
    }
    return undefined;
  };
};
