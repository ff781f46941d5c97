import type {
  Board,
  Card,
  CardDetails,
  CardFilter,
  CardId,
  CardRun,
  CardRunId,
  CardState,
  LinkedCard,
} from "../../core/cards/cards.ts";
import type { NewOutcome, PlannedWork } from "./work-tables.ts";

/** Who moves a card: somebody, or what it waited for. */
export type Mover = "person" | "orchestrator" | "worker" | "dispatcher" | "time" | "parents";

/** What a change of a card is decided on, as it is while nobody else can change anything on its board. */
export type SeenCard = {
  /** The database's time where several machines share it. */
  readonly now: number;
  readonly card: Card;
  /** The attempt under way. */
  readonly run?: CardRun;
  readonly parents: readonly LinkedCard[];
  readonly children: readonly SeenChild[];
  /** The other card that the change is about. */
  readonly other?: SeenOther;
};

/** `openParents`: how many cards it still waits for. */
export type SeenChild = LinkedCard & { readonly openParents: number };

/** `waits`: it waits, over any number of links, for the card itself. */
export type SeenOther = { readonly card: Card; readonly waits: boolean };

/** All that one change writes. The database has rules of its own, and refuses what breaks them. */
export type CardStep = {
  readonly mover: Mover;
  /** The attempt in whose name it is written. */
  readonly run?: CardRunId;
  /** For people. */
  readonly by: string;
  readonly what: string;
  readonly detail?: string;
  /** The card from now on. */
  readonly next: Card;
  /** The attempt under way ends so. */
  readonly ends?: Pick<CardRun, "outcome" | "summary" | "error" | "evidence">;
  /** A new one: under way, or with an outcome and over at once. */
  readonly begins?: Omit<CardRun, "card">;
  readonly beats?: Pick<CardRun, "heartbeatAt" | "expiresAt">;
  /** Links of this card to others that it waits for. */
  readonly linked?: readonly CardId[];
  readonly unlinked?: readonly CardId[];
  readonly comment?: string;
  /** What a claim begins: the input of its own session, admitted with it. */
  readonly work?: PlannedWork;
  /** What its owner is to hear of it. */
  readonly tells?: NewOutcome;
  /** Cards that wait for it and are moved by that. */
  readonly others?: readonly { readonly id: CardId; readonly state: CardState }[];
};

/** Boards and cards. Changes of one board happen one after the other, in each of them all or nothing. */
export interface CardTable {
  /** A new card. `decide` sees those that it is to wait for. A missing board is made. */
  add<Said>(
    wanted: { readonly board: string; readonly parents: readonly CardId[]; readonly at: number },
    decide: (seen: Pick<SeenCard, "now" | "parents">) => CardStep | Said,
  ): Promise<Card | Said>;
  /**
   * Changes a card as `decide` says of what it sees; what is no step is given back, and nothing is written. `decide` may be
   * asked more than once. `undefined`: there is no such card, or no `other` on its board.
   */
  change<Said>(
    wanted: { readonly id: CardId; readonly other?: CardId; readonly at: number },
    decide: (seen: SeenCard) => CardStep | Said,
  ): Promise<Card | Said | undefined>;
  get(id: CardId): Promise<Card | undefined>;
  details(id: CardId): Promise<CardDetails | undefined>;
  /** Cards whose id starts with this, at most 10. */
  find(idPrefix: string): Promise<readonly Card[]>;
  /** By priority, then age. */
  list(filter: CardFilter): Promise<readonly Card[]>;
  boards(): Promise<readonly Board[]>;
  /** Newest first; of a card, or of all. */
  runs(filter: { readonly card?: CardId; readonly limit: number }): Promise<readonly CardRun[]>;
  /** Blocked cards that time releases now, and cards whose claim has run out. */
  due(at: number): Promise<readonly CardId[]>;
  /** When that will be the next time, after this. */
  nextDue(after: number): Promise<number | undefined>;
  /** Attempts that are under way, oldest first. */
  open(): Promise<readonly CardRun[]>;
  /** The attempt whose session this is. */
  ofSession(session: string): Promise<CardRun | undefined>;
  /** How many models have made since then. */
  madeByModels(since: number): Promise<number>;
}
