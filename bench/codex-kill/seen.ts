import type { Json } from "../../src/core/json.ts";

/** What codex was heard to say, whoever lived on to make something of it. */
export type Seen = {
  /** Frames of the first process. */
  frames: number;
  /** Turns that began on the first process. */
  readonly began: Set<string>;
  /** Turns that codex itself has ended. */
  readonly ended: Set<string>;
  /** Items that were finished, with the number of the frame that said so. */
  readonly items: (FinishedItem & { readonly frame: number })[];
};

type FinishedItem = { readonly item: string; readonly type: string };

export const nothingSeen = (): Seen => ({ frames: 0, began: new Set(), ended: new Set(), items: [] });

/** The little of a frame that matters here. */
export type Glimpse = {
  /** It came from the first process. */
  readonly first: boolean;
  readonly began?: string;
  readonly ended?: string;
  readonly item?: FinishedItem;
};

export function glimpse(frame: Json, first: boolean): Glimpse {
  const { method, params } = frame as Frame;
  const { turn, item } = params ?? {};
  if (method === "turn/started" && turn !== undefined) return { first, began: turn.id };
  if (method === "turn/completed" && turn !== undefined) return { first, ended: turn.id };
  if (method !== "item/completed" || item === undefined) return { first };
  return { first, item: { item: item.id, type: item.type } };
}

type Frame = {
  readonly method?: string;
  readonly params?: {
    readonly turn?: { readonly id: string };
    readonly item?: { readonly id: string; readonly type: string };
  };
};

export function see(seen: Seen, { first, began, ended, item }: Glimpse): void {
  if (first) seen.frames += 1;
  if (first && began !== undefined) seen.began.add(began);
  if (ended !== undefined) seen.ended.add(ended);
  if (item !== undefined) seen.items.push({ ...item, frame: seen.frames });
}
