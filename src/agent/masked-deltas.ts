import type { TurnEvent } from "../core/events.ts";
import type { ItemId } from "../core/ids.ts";
import { type Masking, type RedactStream, redactStream } from "../lib/redact/redact-stream.ts";

type Delta = Extract<TurnEvent, { type: "delta" }>;

/** What programs write while they run, for screens: secrets masked, also those that come in two pieces. */
export type MaskedDeltas = {
  /** Shows what of it can be shown now. */
  add(delta: Delta): void;
  /** The item is finished: shows what was held back of it. */
  end(item: ItemId): void;
};

export function maskedDeltas(redact: Masking, show: (delta: Delta) => void): MaskedDeltas {
  const streams = new Map<ItemId, RedactStream>();
  const say = (item: ItemId, text: string): void => {
    if (text !== "") show({ type: "delta", item, of: "output", text });
  };
  return {
    add(delta) {
      if (delta.of !== "output") return show(delta);
      const stream = streams.get(delta.item) ?? redactStream(redact);
      streams.set(delta.item, stream);
      say(delta.item, stream.add(delta.text));
    },
    end(item) {
      say(item, streams.get(item)?.end() ?? "");
      streams.delete(item);
    },
  };
}
