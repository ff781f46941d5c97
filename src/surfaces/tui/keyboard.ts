import type { Clock } from "../../lib/clock.ts";
import type { Conversation } from "./conversation.ts";
import type { Screen } from "./screen.ts";
import { isKeyRelease, matchesKey } from "./toolkit.ts";

/** Two presses of Ctrl+C within this leave. */
const twiceMs = 2_000;

/** The keys that mean the same wherever the cursor stands. All others go to what is shown. */
export function keyboard({
  screen,
  talk,
  clock,
  leave,
}: {
  readonly screen: Screen;
  /** Rejects when the program could not open; then there is nothing to stop. */
  readonly talk: Promise<Conversation>;
  readonly clock: Clock;
  readonly leave: () => void;
}): Disposable {
  let conversation: Conversation | undefined;
  talk.then((opened) => (conversation = opened)).catch(() => {});
  let lastInterrupt = -Infinity;

  const interrupt = (): void => {
    const now = clock.monotonic();
    const again = now - lastInterrupt < twiceMs;
    lastInterrupt = now;
    if (again) return leave();
    if (conversation?.stop() === true) return;
    if (!screen.prompt.isEmpty()) {
      // Cleared on purpose, so it does not count as the first of two.
      lastInterrupt = -Infinity;
      return screen.prompt.setText("");
    }
    screen.status({ hint: "Ctrl+C again leaves" });
    void clock.sleep(twiceMs).then(() => screen.status({ hint: undefined }));
  };
  const always: Readonly<Record<string, () => void>> = {
    "ctrl+c": interrupt,
    "ctrl+o": () => screen.view.toggleDetails(),
    "ctrl+t": () => screen.view.toggleReasoning(),
    "ctrl+l": () => screen.tui.requestRender(true),
    "ctrl+z": () => screen.suspend(),
  };

  const off = screen.tui.addInputListener((data) => {
    if (isKeyRelease(data)) return undefined;
    const panel = screen.panel();
    const key = Object.keys(always).find((each) => matchesKey(data, each as "ctrl+c"));
    if (key !== undefined && !(key === "ctrl+c" && screen.isPicking())) {
      always[key]?.();
      screen.repaint();
      return { consume: true };
    }
    if (
      matchesKey(data, "ctrl+d") &&
      screen.prompt.isEmpty() &&
      panel?.open !== true &&
      !screen.isPicking()
    ) {
      leave();
      return { consume: true };
    }
    // With something in the prompt it closes the list of completions, or means nothing.
    if (
      matchesKey(data, "escape") &&
      screen.prompt.isEmpty() &&
      panel?.open !== true &&
      !screen.isPicking()
    ) {
      conversation?.stop();
      return { consume: true };
    }
    if (panel?.open === true)
      screen.tui.setFocus(panel.takes(data) ? panel.component : screen.prompt.component);
    return undefined;
  });
  return { [Symbol.dispose]: off };
}
