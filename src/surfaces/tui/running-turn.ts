import type { Envelope } from "../../core/events.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Screen } from "./screen.ts";

/** The line that says what goes on, kept moving while a turn runs. */
export interface RunningTurn {
  begin(): void;
  hears(event: Envelope): void;
  end(): void;
  isOn(): boolean;
  paint(): void;
}

/** How often it is painted anew while nothing else changes. */
const frameMs = 100;

type Turn = {
  readonly since: number;
  status?: Extract<Envelope, { type: "status" }>;
  answering?: boolean;
};

export function runningTurn(
  screen: Pick<Screen, "activity" | "status">,
  clock: Clock,
  queued: () => number,
): RunningTurn {
  let turn: Turn | undefined;
  const paint = (): void => {
    screen.status({ queued: queued() });
    screen.activity(turn && { ...turn, queued: queued() });
  };
  const tick = async (own: Turn): Promise<void> => {
    const isOver = (): boolean => turn !== own;
    for (; !isOver(); await clock.sleep(frameMs)) paint();
  };
  return {
    begin() {
      turn = { since: clock.monotonic() };
      void tick(turn);
    },
    hears(event) {
      if (turn === undefined) return;
      if (event.type === "status") turn.status = event;
      const { type } = event;
      if (type === "status" || type === "begin" || type === "item") turn.answering = false;
      if (type === "delta" && event.of !== "output") turn.answering = event.of === "text";
    },
    end() {
      turn = undefined;
      paint();
    },
    isOn: () => turn !== undefined,
    paint,
  };
}
