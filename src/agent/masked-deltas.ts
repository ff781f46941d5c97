import type { TurnEvent } from "../core/events.ts";
import type { ItemId } from "../core/ids.ts";
import { type Masking, type RedactStream, redactStream } from "../lib/redact/redact-stream.ts";

type Delta = Extract<TurnEvent, { type: "delta" }>;

/** What programs write while they run, for screens: secrets masked, also those that come in two pieces. */
export type MaskedDeltas = {
  /** What of it can be shown now. */
  add(delta: Delta): readonly Delta[];
  /** The item is finished: what was held back of it. */
  end(item: ItemId): readonly Delta[];
};

export function maskedDeltas(redact: Masking): MaskedDeltas {
  const streams = new Map<ItemId, RedactStream>();
  return {
    add(delta) {
      if (delta.of !== "output") return [delta];
      const stream = streams.get(delta.item) ?? redactStream(redact);
      streams.set(delta.item, stream);
      return shown(delta.item, stream.add(delta.text));
    },
    end(item) {
      const rest = streams.get(item)?.end() ?? "";
      streams.delete(item);
      return shown(item, rest);
    },
  };
}

const shown = (item: ItemId, text: string): readonly Delta[] =>
  text === "" ? [] : [{ type: "delta", item, of: "output", text }];
