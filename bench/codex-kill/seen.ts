import type { Json } from "../../src/core/json.ts";

/** What codex was heard to say, whoever lived on to make something of it. */
export type Seen = {
  /** Frames of the first process. */
  frames: number;
  /** Items that were finished. */
  readonly items: { readonly turn: string; readonly item: string; readonly type: string }[];
  /** Turns that codex itself has ended. */
  readonly ended: Set<string>;
};

export const nothingSeen = (): Seen => ({ frames: 0, items: [], ended: new Set() });

/** The little of a frame that matters here. */
export type Glimpse = {
  /** It came from the first process. */
  readonly first: boolean;
  readonly ended?: string;
  readonly item?: Seen["items"][number];
};

export function glimpse(frame: Json, first: boolean): Glimpse {
  const { method, params } = frame as Frame;
  if (method === "turn/completed" && params?.turn !== undefined) return { first, ended: params.turn.id };
  if (method !== "item/completed" || params?.item === undefined) return { first };
  const { id, type } = params.item;
  return { first, item: { turn: params.turnId ?? "", item: id, type } };
}

type Frame = {
  readonly method?: string;
  readonly params?: {
    readonly turnId?: string;
    readonly turn?: { readonly id: string };
    readonly item?: { readonly id: string; readonly type: string };
  };
};

export function see(seen: Seen, { first, ended, item }: Glimpse): void {
  if (first) seen.frames += 1;
  if (ended !== undefined) seen.ended.add(ended);
  if (item !== undefined) seen.items.push(item);
}
