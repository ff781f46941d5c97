import type { EndedEnvelope } from "../../../core/events.ts";
import type { Acknowledged } from "../../../core/host.ts";
import type { TranscriptView } from "../transcript/view.ts";

/** What was typed and is not over yet: sent and waiting, or running. */
export interface TypedInputs {
  /** It stands below everything else until its turn has begun: others may still say something before it. */
  add(id: string, text: string, pictures: readonly string[], state: "queued" | "sending"): void;
  /** Its place in line is known. */
  sent(id: string, state: Acknowledged["state"], ended: () => Promise<EndedEnvelope | null>): void;
  refused(id: string): void;
  /** A turn began: it is the one of the oldest that waited. */
  turnBegan(): void;
  forget(): void;
  count(): number;
  queued(): number;
}

/** `waits`: something else runs first. */
type Typed = {
  readonly id: string;
  readonly text: string;
  readonly started: boolean;
  readonly waits: boolean;
};

export function typedInputs(
  view: Pick<TranscriptView, "user" | "settle">,
  onChange: () => void,
  /** It was not run, so the arrow key offers it first. */
  onSetAside: (text: string) => void,
): TypedInputs {
  let all: readonly Typed[] = [];
  const change = (id: string, now: Partial<Typed>): void => {
    all = all.map((each) => (each.id === id ? { ...each, ...now } : each));
    onChange();
  };
  const remove = (id: string): void => {
    all = all.filter((each) => each.id !== id);
    onChange();
  };
  const follow = async (id: string, ended: Promise<EndedEnvelope | null>): Promise<void> => {
    const isSetAside = (await ended) === null;
    view.settle(id, isSetAside ? "set aside" : "sent");
    if (isSetAside) onSetAside(all.find((each) => each.id === id)?.text ?? "");
    remove(id);
  };
  return {
    add(id, text, images, state) {
      view.user({ id, text, images, state });
      all = [...all, { id, text, started: false, waits: state === "queued" }];
      onChange();
    },
    sent(id, state, ended) {
      if (state === "queued" && all.some((each) => each.id === id && !each.started)) {
        view.settle(id, "queued");
        change(id, { waits: true });
      }
      if (state === "running" || state === "queued") return void follow(id, ended());
      view.settle(id, state === "duplicate" ? "sent" : state);
      remove(id);
    },
    refused(id) {
      view.settle(id, "set aside");
      remove(id);
    },
    turnBegan() {
      const first = all.find(({ started }) => !started);
      if (first === undefined) return;
      view.settle(first.id, "sent");
      change(first.id, { started: true });
    },
    forget: () => void (all = []),
    count: () => all.length,
    queued: () => all.filter(({ started, waits }) => waits && !started).length,
  };
}
