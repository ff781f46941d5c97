import type { SessionId, TurnId } from "../../core/ids.ts";
import type { BegunCall, CallHead } from "../../core/items.ts";
import type { Json } from "../../core/json.ts";
import type { Todo } from "../../core/todo.ts";

/** What a session has set out to do. A list goes with the turn that made it: when that is taken back, the one before it holds. */
export interface TodoTable {
  get(session: SessionId): Promise<readonly Todo[]>;
  /** `next` is given the list as it is, and may be called again when the write has to be repeated. */
  change(
    session: SessionId,
    turn: TurnId,
    next: (now: readonly Todo[]) => readonly Todo[],
  ): Promise<readonly Todo[]>;
}

/** A begun call without an item. `mayHaveRun`: nobody was asked, or somebody or something said yes. */
export type OpenCall = CallHead & { readonly mayHaveRun: boolean };

/** Calls that leave something behind, from before they start until their item is kept. */
export interface CallTable {
  /** For a call that nobody is asked about; one that came with its question stays as it is. Throws StaleLeaseError. */
  begin(call: BegunCall, at: number): Promise<void>;
  /** In the order in which they were begun. */
  open(turn: TurnId): Promise<readonly OpenCall[]>;
}

/** A tool of an MCP server as it was first seen or last approved. */
export type PinnedTool = {
  readonly server: string;
  readonly name: string;
  readonly hash: string;
  readonly definition: Json;
  /** The server offers another one under this name now, and nobody has approved it. */
  readonly changed?: { readonly hash: string; readonly definition: Json; readonly at: number };
};

export interface McpToolTable {
  list(server?: string): Promise<readonly PinnedTool[]>;
  /** Keeps what a server offers now: a name that is new is pinned as it is. Gives all that was ever seen of it. */
  see(
    server: string,
    tools: readonly Pick<PinnedTool, "name" | "hash" | "definition">[],
    at: number,
  ): Promise<readonly PinnedTool[]>;
  /** The one with this hash holds from now on. False: the server offers yet another one, or none. */
  approve(server: string, name: string, hash: string, at: number): Promise<boolean>;
  forget(server: string): Promise<void>;
}
