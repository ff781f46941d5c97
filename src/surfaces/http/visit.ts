import type { HttpBindings } from "@hono/node-server";
import type { Client } from "../../core/calls.ts";
import type { Host } from "../../core/host.ts";
import type { HttpBehind } from "../../core/access.ts";
import type { Caller } from "../../core/principal.ts";
import type { Limit } from "../../core/spend.ts";
import type { Clock } from "../../lib/clock.ts";

/** What is behind the door, and what it tells while it is open. */
export type Behind = {
  readonly host: Pick<Host, "as" | "http" | "gateway">;
  readonly http: HttpBehind;
  readonly clock: Clock;
  readonly log: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
  /** Names by which a request may call this machine, and pages from which it may come. */
  readonly hosts: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
  /** Browsers come over https. */
  readonly secure: boolean;
};

/** Somebody who has proved who they are. */
export type Visitor = {
  readonly kind: "key" | "device";
  readonly id: string;
  readonly caller: Caller;
  readonly budget?: Limit;
};

/** What every handler of a request finds. */
export type Env = {
  Bindings: HttpBindings;
  Variables: {
    visitor: Visitor;
    client: Client;
    /** Aborts when they may come in no more, or the door closes. */
    gone: AbortSignal;
    /** Ends the visit: a stream does so when it is over. */
    leave: () => void;
    streaming: boolean;
  };
};
