import type { InputPart } from "../../core/messages.ts";
import type { Steered } from "../runtime.ts";

/** What a person says into a running turn. It is taken only while tools run, because the model gets it below their last result. */
export type Steering = {
  readonly steer: (input: readonly InputPart[]) => Steered;
  readonly open: () => void;
  /** Hands out what was taken. From now on nothing is. */
  readonly close: () => readonly string[];
};

export function steering(): Steering {
  let taken: string[] | undefined;
  return {
    steer(input) {
      const texts = input.flatMap((part) => (part.type === "text" ? [part.text] : []));
      // The result of a tool is text: a picture has to wait for a turn of its own.
      if (taken === undefined || texts.length < input.length) return "refused";
      taken.push(texts.join("\n"));
      return "taken";
    },
    open() {
      taken = [];
    },
    close() {
      const said = taken ?? [];
      taken = undefined;
      return said;
    },
  };
}
