import type { Context } from "hono";
import { isTooDeep } from "../../lib/rpc/json-depth.ts";
import { HttpFailure } from "./failures.ts";
import type { Env } from "./visit.ts";

/** The body as JSON. What is larger than that is not read to its end. */
export async function jsonBody(c: Context<Env>, most: number): Promise<unknown> {
  const type = c.req.header("Content-Type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json")
    throw new HttpFailure(415, "usage", "The body has to be JSON.", "Send `Content-Type: application/json`.");
  const text = await bodyText(c, most);
  if (text.trim() === "") return {};
  if (isTooDeep(text)) throw notJson("it is nested too deeply");
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw notJson(error instanceof Error ? error.message : String(error));
  }
}

export async function bodyText(c: Context<Env>, most: number): Promise<string> {
  const tooLarge = new HttpFailure(
    413,
    "usage",
    `A request has at most ${Math.floor(most / 1000)} kB here.`,
    "Send less; http.body_mb is the limit of ordinary ones.",
  );
  if (Number(c.req.header("Content-Length") ?? 0) > most) throw tooLarge;
  if ((c.req.header("Content-Encoding") ?? "identity").toLowerCase() !== "identity")
    throw new HttpFailure(415, "usage", "The body is packed.", "Send it without Content-Encoding.");
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of c.env.incoming as AsyncIterable<Uint8Array>) {
      size += part.length;
      if (size > most) throw tooLarge;
      parts.push(part);
    }
  } catch (error) {
    throw c.env.incoming.complete || error === tooLarge ? error : cutOff;
  }
  return Buffer.concat(parts).toString("utf8");
}

/** Mostly nobody is there to read it; the log has it. */
const cutOff = new HttpFailure(400, "usage", "The body did not come to its end.", "Send it again.");

const notJson = (why: string): HttpFailure =>
  new HttpFailure(400, "usage", `The body is no JSON: ${why}.`, "Send one JSON object.");
