import type { Json } from "../../src/core/json.ts";

/** What codex was heard to say, whoever lived on to make something of it. */
export type Seen = {
  frames: number;
  /** Of the first process, until it was gone. */
  firstFrames: number;
  /** Ids of the items that were finished, by the turn they belong to. */
  readonly items: { readonly turn: string; readonly id: string; readonly type: string }[];
  /** Turns that codex itself has ended. */
  readonly ended: Set<string>;
  killedAtMs?: number;
};

export const nothingSeen = (): Seen => ({ frames: 0, firstFrames: 0, items: [], ended: new Set() });

type Frame = {
  readonly method?: string;
  readonly params?: {
    readonly turnId?: string;
    readonly turn?: { readonly id: string };
    readonly item?: { readonly id: string; readonly type: string };
  };
};

export function see(seen: Seen, frame: Json): void {
  const { method, params } = frame as Frame;
  seen.frames += 1;
  if (method === "turn/completed" && params?.turn !== undefined) seen.ended.add(params.turn.id);
  if (method === "item/completed" && params?.item !== undefined && params.turnId !== undefined)
    seen.items.push({ turn: params.turnId, id: params.item.id, type: params.item.type });
}
