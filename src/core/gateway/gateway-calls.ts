import type { Platform } from "./chat.ts";
import type { GatewayStatus, ListedPeople, TestedBot } from "./gateway.ts";
import type { StoredOutbox, StoredPerson } from "./tables.ts";

/** Chat apps: how their bots are, who was let in, and what went out. People and groups are named `SURFACE:ID`. */
export interface GatewayCalls {
  /** With what the bots say of themselves where the gateway runs in the process that is asked. */
  "gateway.status"(input: Readonly<Record<string, never>>): Promise<GatewayStatus>;
  /** Lets in whoever was given this code. A wrong one counts: five in an hour lock it for an hour. */
  "gateway.pair"(input: {
    readonly code: string;
    readonly role?: StoredPerson["role"];
  }): Promise<StoredPerson>;
  "gateway.people"(input: Readonly<Record<string, never>>): Promise<ListedPeople>;
  /** Also changes the role of somebody who is in. A whole group or channel is named by the id of its chat, and is never the owner. */
  "gateway.allow"(
    input: Who & { readonly role?: StoredPerson["role"]; readonly name?: string },
  ): Promise<StoredPerson>;
  /** What runs for them ends, and nothing else of theirs begins. */
  "gateway.revoke"(input: Who): Promise<StoredPerson>;
  /** Sends the owner a message in each chat app, or in this one, and waits for its receipt. */
  "gateway.test"(input: { readonly surface?: Platform }): Promise<readonly TestedBot[]>;
  /** Sends something again that may not have arrived, or did not. By id or a unique beginning of it. */
  "gateway.resend"(input: { readonly id: string }): Promise<StoredOutbox>;
}

type Who = { readonly who: string };
