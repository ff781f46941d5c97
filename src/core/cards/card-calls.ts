import type {
  BlockKind,
  Board,
  Card,
  CardDetails,
  CardFilter,
  CardFolder,
  CardRun,
  NewCard,
} from "./cards.ts";

/** Boards and cards, as people and their programs move them. Cards are named by id or a unique beginning of it. */
export interface CardCalls {
  /** `cwd`: where a path that is not whole begins. */
  "kanban.add"(
    input: Omit<NewCard, "parents" | "terms"> & {
      readonly parents?: readonly string[];
      readonly cwd?: string;
      /** Says by its exit code whether it is done. At this machine alone, as `allow`. */
      readonly check?: string;
      /** Commands that each attempt may run once without a question. */
      readonly allow?: readonly string[];
    },
  ): Promise<Card>;
  /** By priority, then age. Without states: all that are not archived. */
  "kanban.list"(input: CardFilter): Promise<readonly Card[]>;
  "kanban.show"(input: OfCard): Promise<CardDetails>;
  "kanban.comment"(input: OfCard & { readonly text: string }): Promise<Card>;
  /** `card` waits for `parent` from now on. */
  "kanban.link"(input: OfCard & { readonly parent: string }): Promise<Card>;
  "kanban.unlink"(input: OfCard & { readonly parent: string }): Promise<Card>;
  /** Out of triage. */
  "kanban.ready"(input: OfCard): Promise<Card>;
  /** `until`: of a transient block. `parent`: the card that a dependency is on. */
  "kanban.block"(
    input: OfCard & {
      readonly kind: BlockKind;
      readonly reason: string;
      readonly until?: number;
      readonly parent?: string;
    },
  ): Promise<Card>;
  "kanban.unblock"(input: OfCard): Promise<Card>;
  "kanban.complete"(input: OfCard & { readonly summary: string }): Promise<Card>;
  "kanban.archive"(input: OfCard): Promise<Card>;
  "kanban.reopen"(input: OfCard): Promise<Card>;
  /** Folders of ours in which cards were worked on. `remove`: those go of which nothing would be lost; branches stay. */
  "kanban.workspaces"(input: { readonly remove?: boolean }): Promise<readonly CardFolder[]>;
  "kanban.boards"(input: Readonly<Record<string, never>>): Promise<readonly Board[]>;
  /** Attempts, newest first; at one card or at all. */
  "kanban.runs"(input: { readonly card?: string; readonly limit: number }): Promise<readonly CardRun[]>;
}

type OfCard = { readonly card: string };
