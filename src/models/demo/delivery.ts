import type { ServerResponse } from "node:http";
import type { Clock } from "../../lib/clock.ts";
import type { StreamStep, Delivery, ReportedTokens } from "./reply.ts";

/**
 * Puts steps on the wire at the pace and with the accidents that `delivery` asks for. Returns when that is done.
 * `reported` is told the tokens of each frame that has left.
 */
export async function play(
  steps: Iterable<StreamStep>,
  response: ServerResponse,
  delivery: Delivery,
  clock: Clock,
  reported: (tokens: ReportedTokens) => void = () => {},
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.flushHeaders();
  const { cut, slowMs } = delivery;
  let bytes = 0;
  let frames = 0;
  for (const step of steps) {
    if (cut?.frames !== undefined && frames >= cut.frames) return void response.destroy();
    if (step === "hang") return;
    if (slowMs !== undefined && frames > 0) await clock.sleep(slowMs, gone.signal).catch(() => {});
    if (gone.signal.aborted) return;
    const frame = Buffer.from(step.frame);
    if (cut?.bytes !== undefined && bytes + frame.length >= cut.bytes) {
      await write(response, frame.subarray(0, cut.bytes - bytes));
      return void response.destroy();
    }
    await write(response, frame);
    if (step.tokens !== undefined) reported(step.tokens);
    bytes += frame.length;
    frames += 1;
  }
  if (cut !== undefined) return void response.destroy();
  response.end();
}

/** Resolves once the bytes have left this process, or can no longer. */
function write(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.once("close", resolve);
    response.write(bytes, () => {
      response.off("close", resolve);
      resolve();
    });
  });
}
