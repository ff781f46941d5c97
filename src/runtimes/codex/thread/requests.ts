import type { Ports } from "../../runtime.ts";
import type { AppServer } from "../process/app-server.ts";

const timeoutMs = 15_000;

/** A request about a thread that is being opened: Stop ends the wait for it. */
export const request = (
  server: AppServer,
  method: string,
  params: object,
  { signal }: Pick<Ports, "signal">,
): Promise<unknown> => server.request(method, params, { signal, timeoutMs });

/** Whoever resumes the thread next loads it anew; one that is in hand goes on as it is. */
export async function unsubscribe(
  server: AppServer,
  thread: string,
  ports: Pick<Ports, "signal">,
): Promise<void> {
  await request(server, "thread/unsubscribe", { threadId: thread }, ports);
}
