import { Hono } from "hono";
import { apiRoutes } from "./api.ts";
import { HttpFailure, answered, errorResponse } from "./failures.ts";
import { onlyKnown, securityHeaders, whereFrom } from "./guard.ts";
import { gatewayRoutes } from "./gateway-posts.ts";
import { openPageRoutes } from "./open-page.ts";
import { capabilityRoutes } from "./v1/capabilities.ts";
import { chatRoutes } from "./v1/chat.ts";
import { modelRoutes } from "./v1/models.ts";
import { responseRoutes } from "./v1/responses.ts";
import { runActionRoutes, runRoutes } from "./v1/runs.ts";
import type { Behind, Env } from "./visit.ts";
import { webhookRoutes } from "./webhooks.ts";
import type { Visitors } from "./visitors.ts";

/** What anybody may ask: that it lives, the page that a code is typed into, and the exchange of that code. */
const open: ReadonlySet<string> = new Set([
  "GET /health",
  "HEAD /health",
  "GET /",
  "GET /open.js",
  "POST /open",
]);

/** They have a proof of their own. */
const isWebhook = (method: string, path: string): boolean =>
  method === "POST" && /^\/(?:webhooks|gateway)\/[^/]+$/.test(path);

/** Every route, behind the same door. */
export function makeApp(behind: Behind, inside: Visitors): Hono<Env> {
  const app = new Hono<Env>({ strict: true });
  const { log, clock } = behind;
  app.use("*", async (c, next) => {
    const from = clock.monotonic();
    await next();
    const who = (c.get("visitor") as { readonly id: string } | undefined)?.id;
    // No path, no query, no header: what is secret may be in any of them.
    const ms = Math.round(clock.monotonic() - from);
    log("request", {
      method: c.req.method,
      route: routeOf(c),
      status: c.res.status,
      ms,
      ...(who === undefined ? {} : { who }),
    });
  });
  app.use("*", securityHeaders);
  app.use("*", whereFrom(behind));
  app.use(
    "*",
    onlyKnown(behind, inside, (method, path) => open.has(`${method} ${path}`) || isWebhook(method, path)),
  );
  app.get("/health", (c) => c.json({ ok: true }));
  openPageRoutes(app, behind);
  apiRoutes(app, behind);
  modelRoutes(app, behind);
  capabilityRoutes(app, behind);
  chatRoutes(app, behind);
  responseRoutes(app, behind);
  runRoutes(app, behind);
  runActionRoutes(app, behind);
  webhookRoutes(app, behind);
  gatewayRoutes(app, behind);
  app.notFound((c) => {
    const methods = methodsAt(app, c.req.path);
    if (methods.length === 0)
      return errorResponse(
        c,
        new HttpFailure(404, "not_found", "There is nothing here.", "docs/user/api.md has what there is."),
      );
    c.header("Allow", methods.join(", "));
    const said = `This takes ${methods.join(" and ")}, not ${c.req.method}.`;
    return errorResponse(c, new HttpFailure(405, "usage", said, "docs/user/api.md has what there is."));
  });
  app.onError((error, c) => {
    const { status, failure } = answered(error);
    if (status >= 500) log("failure", { route: routeOf(c), code: failure.code, message: failure.message });
    return errorResponse(c, error);
  });
  return app;
}

/** The methods with which there is something at this path. */
const methodsAt = (app: Hono<Env>, path: string): readonly string[] =>
  ["GET", "POST", "DELETE"].filter((method) =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method !== "ALL"),
  );

/** The route as it was registered: ids in a path are left out. */
const routeOf = (c: {
  readonly req: {
    readonly routePath: string;
    readonly matchedRoutes: readonly { readonly path: string; readonly method: string }[];
  };
}): string => c.req.matchedRoutes.findLast(({ method }) => method !== "ALL")?.path ?? "none";
