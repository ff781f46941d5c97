import { once } from "node:events";
import { getRequestListener } from "@hono/node-server";
import type { Host } from "../../core/host.ts";
import type { Door } from "../../core/serving/door.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { makeApp } from "./app.ts";
import { hostNames, listen, ownOrigins, requireSafe } from "./listen.ts";
import { noAddress, turnAway } from "./no-request.ts";
import type { Behind } from "./visit.ts";
import { visitors } from "./visitors.ts";

export type OpenHttp = {
  readonly host: Pick<Host, "as" | "http" | "gateway">;
  /** What was said at the start; 0 is any that is free. */
  readonly port?: number;
  readonly clock?: Clock;
  readonly log?: Behind["log"];
};

const lastWordMs = 500;

/** Lets programs and browsers in over HTTP. `undefined`: nobody has said on which port. */
export async function openHttp({
  host,
  port: said,
  clock = systemClock,
  log = () => {},
}: OpenHttp): Promise<Door | undefined> {
  const { http } = host;
  const { settings } = http;
  const port = said ?? settings.port;
  if (port === undefined) return undefined;
  await requireSafe(http);
  const { server, port: bound, address } = await listen(settings, port);
  const hosts = hostNames(settings, bound);
  const origins = ownOrigins(hosts, settings);
  const secure = settings.tls !== undefined || settings.proxy;
  const inside = visitors(http.access, settings, clock);
  const app = makeApp({ host, http, clock, log, hosts, origins, secure }, inside);
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false, errorHandler: noAddress });
  // Nobody listens for upgrades: nothing is upgraded, and whoever offers it is answered like everybody else.
  const answers = new Set<Promise<unknown>>();
  server.on("request", (request, response) => {
    const over: Promise<unknown> = once(response, "close").finally(() => answers.delete(over));
    answers.add(over);
    void answer(request, response);
  });
  server.on("clientError", turnAway);
  return {
    address,
    attached: () => inside.count(),
    async [Symbol.asyncDispose]() {
      inside[Symbol.dispose]();
      const closed = new Promise((resolve) => server.close(resolve));
      // Whoever waits hears why there is no answer. Who does not read it is not waited for.
      await Promise.race([Promise.allSettled(answers), systemClock.sleep(lastWordMs)]);
      server.closeAllConnections();
      await closed;
    },
  };
}
