import { localOwner } from "../../src/core/principal.ts";
import type { Client, Handlers } from "../../src/core/calls.ts";
import { inProcess } from "../../src/operations/in-process.ts";

/** The owner's way to a host that can do only this. In a session that is followed nothing happens. */
export const clientOf = (handlers: Partial<Handlers>): Client =>
  inProcess({ async *"sessions.follow"() {}, ...handlers } as Handlers, localOwner("cli"));
