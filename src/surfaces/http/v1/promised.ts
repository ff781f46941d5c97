import { whyUnfit } from "./answer-schema.ts";
import type { Failure } from "../../../core/failure.ts";
import type { InboxId } from "../../../core/ids.ts";
import type { Json } from "../../../core/json.ts";
import { HttpFailure } from "../failures.ts";
import type { Behind } from "../visit.ts";

type Kept = { readonly access: Behind["http"]["access"]; readonly account: string };

/** What an answer has to look like is kept with its run: whoever reads it again is told the same. */
export async function promise({ access, account }: Kept, inbox: InboxId, schema: Json): Promise<void> {
  await access.claim({ account, kind: "schema", name: inbox }, JSON.stringify(schema));
}

/** Why an answer is not what its request has asked for; `undefined`: it is, or nothing was asked for. */
export async function unkept(
  { access, account }: Kept,
  inbox: InboxId,
  text: string,
): Promise<Failure | undefined> {
  const schema = await access.named({ account, kind: "schema", name: inbox });
  return schema === undefined ? undefined : misfit(JSON.parse(schema) as Json, text);
}

/** Throws when the answer is not what was asked for. */
export function requireFit(schema: Json | undefined, text: string): void {
  const failure = schema === undefined ? undefined : misfit(schema, text);
  if (failure !== undefined) throw new HttpFailure(502, failure.code, failure.message, failure.next);
}

function misfit(schema: Json, text: string): Failure | undefined {
  const why = whyUnfit(schema, text);
  if (why === undefined) return undefined;
  return {
    code: "protocol",
    message: `The answer does not fit the schema that was asked for: ${why}.`,
    next: "It is in its session. Ask again, or for something that the model can keep to.",
  };
}
