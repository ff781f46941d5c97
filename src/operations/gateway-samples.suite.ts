import { z } from "zod";
import type { GatewayCalls } from "../core/gateway/gateway-calls.ts";
import type { InputOf } from "../core/calls.ts";

/** In the order of the table: whoever is let in is then let in no more. */
export const gatewaySamples: { readonly [Name in keyof GatewayCalls]: () => InputOf<Name> } = {
  "gateway.status": () => ({}),
  "gateway.people": () => ({}),
  "gateway.pair": () => ({ code: "ABCD2345", role: "member" }),
  "gateway.allow": () => ({ who: "telegram:77", name: "Pat" }),
  "gateway.revoke": () => ({ who: "telegram:77" }),
  "gateway.test": () => ({}),
  "gateway.resend": () => ({ id: "obx_nothing" }),
};

/** Here nothing is there for these. */
export const noSuchMessage: readonly (keyof GatewayCalls)[] = ["gateway.pair", "gateway.resend"];

const [text, number] = [z.string(), z.number()];
const rows = z.array(z.looseObject({}));
const person = z.looseObject({ surface: text, id: text, role: text, allowedAt: number });

export const gatewayOutputs: Readonly<Record<keyof GatewayCalls, z.ZodType>> = {
  "gateway.status": z.strictObject({
    running: z.literal(false),
    bots: rows,
    people: number,
    pairings: rows,
    troubles: rows,
    chats: rows,
  }),
  "gateway.people": z.strictObject({ people: z.array(person), pairings: rows }),
  "gateway.pair": person,
  "gateway.allow": person,
  "gateway.revoke": person,
  "gateway.test": z.array(z.looseObject({ surface: text, ok: z.boolean(), detail: text })),
  "gateway.resend": z.looseObject({ id: text, state: text }),
};
