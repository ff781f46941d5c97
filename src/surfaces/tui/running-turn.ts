import type { Envelope } from "../../core/events.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Screen } from "./screen.ts";

/** The line that says what goes on, kept moving while a turn runs. */
export interface RunningTurn {
  begin(): void;
  says(status: Extract<Envelope, { type: "status" }>): void;
  end(): void;
  isOn(): boolean;
  paint(): void;
}

/** How often it is painted anew while nothing else changes. */
const frameMs = 100;

type Turn = { readonly since: number; status?: Extract<Envelope, { type: "status" }> };

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
    says(status) {
      if (turn !== undefined) turn.status = status;
    },
    end() {
      turn = undefined;
      paint();
    },
    isOn: () => turn !== undefined,
    paint,
  };
}
