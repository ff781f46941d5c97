import type { TurnId } from "../../core/ids.ts";
import type { Json } from "../../core/json.ts";
import type { Session, StoredInput, StoredTurn } from "../../core/session.ts";
import type { Admitted, Lease } from "../store.ts";

/** `opened` is missing when the input is not fresh, or when an earlier turn of the session is still open. */
export type Begun = Admitted & { readonly lease: Lease; readonly opened?: OpenedTurn };

/** An input that was admitted, and has no turn yet. */
export type Waiting = Pick<StoredInput, "id" | "session" | "input">;

/** Its turn. `runtime` is what a session runs on that names none; `runtimeOf`: what this one does. */
export type FirstOfWaiting = {
  readonly id: TurnId;
  readonly runtime: string;
  readonly runtimeOf: (session: Session) => string | undefined;
};

/** Without `opened` there is only the lease. */
export type BegunWaiting = Pick<Begun, "lease" | "opened">;

export type OpenedTurn = {
  readonly session: Session;
  readonly turn: StoredTurn;
  /** The session before the choices of this turn. */
  readonly before: Session;
  /** What else a turn starts with, as it was in the same transaction. Missing: nobody has looked. */
  readonly found?: FoundAtStart;
};

/** Read with the session, so that a turn need not ask for each of them. */
export type FoundAtStart = {
  /** The number of the session's last event before it. */
  readonly events: number;
  /** What was kept with the newest turn before it. */
  readonly previous?: Pick<StoredTurn, "side">;
  /** Of the turn's own runtime and folder. */
  readonly binding?: Json;
  /** What the session's model was told of memory and skills; `undefined`: nothing is settled yet. */
  readonly snapshot?: string;
  /** There is something that a crash or a Stop left, and that the person has not been told. */
  readonly hasUntold: boolean;
  /** The session was reviewed, or is being. */
  readonly hasReviews: boolean;
  /** There is something of work that the owner has not been told. */
  readonly hasOutcomes: boolean;
  /** Memory or skills have changed since the session began. */
  readonly hasRevisions: boolean;
};
