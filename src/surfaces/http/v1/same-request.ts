import type { Context } from "hono";
import type { OwnName } from "../../../core/access.ts";
import { type InboxId, asId } from "../../../core/ids.ts";
import { jsonDigest } from "../../../lib/digest.ts";
import { HttpFailure } from "../failures.ts";
import type { Behind, Env } from "../visit.ts";

/** A request that a client can send again without doing it again. */
export type NamedRequest = {
  readonly messageId: string;
  /** What came of it, where it was sent before. */
  readonly inbox?: InboxId;
  /** Remembers what came of it. */
  kept(inbox: InboxId): Promise<void>;
};

/** Its Idempotency-Key is kept before any work: the same request again is the same message, and another one under its name is refused. */
export async function namedRequest(
  c: Context<Env>,
  { http: { access } }: Behind,
  body: unknown,
): Promise<NamedRequest> {
  const name = c.req.header("Idempotency-Key");
  if (name === undefined) return { messageId: crypto.randomUUID(), kept: async () => {} };
  if (name.trim() === "" || name.length > 200)
    throw new HttpFailure(
      400,
      "usage",
      "An Idempotency-Key has 1 to 200 characters.",
      "Use another one, or leave it out.",
    );
  const own: OwnName = { account: c.get("visitor").id, kind: "request", name };
  const digest = jsonDigest([
    c.req.path,
    c.req.header("X-Talaria-Session"),
    c.req.header("X-OpenWebUI-Chat-Id"),
    body,
  ]);
  const [held, inbox] = (await access.claim(own, digest)).split(" ");
  if (held !== digest)
    throw new HttpFailure(
      409,
      "other_request",
      "This Idempotency-Key was used for another request.",
      "Use a new one for a new request.",
    );
  return {
    messageId: `request:${name}`,
    ...(inbox === undefined ? {} : { inbox: asId<"inb">(inbox) }),
    kept: (made) => access.rename(own, `${digest} ${made}`),
  };
}
