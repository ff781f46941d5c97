import type { Json } from "../../core/json.ts";
import type { Clock } from "../../lib/clock.ts";

/** A provider of the person's settings that draws or speaks, over OpenAI's protocol. */
export type MediaService = {
  /** The provider, for messages. */
  readonly name: string;
  readonly model: string;
  /** Sends JSON to a path below the provider's address. Never rejects. */
  post(path: string, body: { readonly [key: string]: Json }, options: PostOptions): Promise<ServiceAnswer>;
};

export type PostOptions = {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly maxBytes: number;
  readonly limitMs: number;
};

/** `why`: one sentence with the next step. `badField`: the part of the request that it does not take. */
export type ServiceAnswer =
  | { readonly ok: true; readonly body: Buffer }
  | { readonly ok: false; readonly why: string; readonly badField?: string };

/** There is no service, and what to do about it. */
export type NoService = { readonly unavailable: string };

/**
 * Servers differ in what they know beside the model and the input. A field of `optional` that one complains about is
 * given another value, or left out.
 */
export async function postTolerantly(
  service: MediaService,
  path: string,
  body: { readonly [key: string]: Json },
  optional: Readonly<Record<string, Json | undefined>>,
  options: PostOptions,
): Promise<{ readonly answer: ServiceAnswer; readonly changed: readonly string[] }> {
  const answer = await service.post(path, body, options);
  const field = answer.ok ? undefined : answer.badField;
  if (field === undefined || !Object.hasOwn(optional, field)) return { answer, changed: [] };
  const { [field]: other, ...rest } = optional;
  const { [field]: _, ...without } = body;
  const next = other === undefined ? without : { ...without, [field]: other };
  const again = await postTolerantly(service, path, next, rest, options);
  return { answer: again.answer, changed: [field, ...again.changed] };
}
