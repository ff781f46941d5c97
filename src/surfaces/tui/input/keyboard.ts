import type { Clock } from "../../../lib/clock.ts";
import type { Chat } from "../chat.ts";
import type { Screen } from "../screen.ts";
import { isKeyRelease, matchesKey } from "../toolkit.ts";

export type KeyboardParts = {
  readonly screen: Screen;
  /** Rejects when the program could not open; then there is nothing to stop. */
  readonly chat: Promise<Chat>;
  readonly clock: Clock;
  readonly leave: () => void;
  /** Leaves without waiting for anything. What was committed is kept, as after any other death. */
  readonly abandon: () => void;
};

/** The keys that mean the same wherever the cursor stands. All others go to what is shown. */
export function keyboard(given: KeyboardParts): Disposable {
  const parts = { ...given, leave: leaving(given) };
  const { screen, leave } = parts;
  const { tui, view, prompt } = screen;
  let conversation: Chat | undefined;
  void parts.chat.then((opened) => (conversation = opened)).catch(() => {});
  const interrupt = interruption(parts, () => conversation?.stop() === true);
  const isLate = (data: string): boolean => screen.panel()?.swallows(data) === true;
  const isPlain = (data: string): boolean =>
    screen.panel()?.open !== true && !screen.isPicking() && !isLate(data);
  const keys: readonly Key[] = [
    { key: "ctrl+c", when: () => !screen.isPicking(), act: interrupt },
    { key: "ctrl+o", act: () => view.toggleDetails() },
    { key: "ctrl+t", act: () => view.toggleReasoning() },
    { key: "ctrl+l", act: () => tui.requestRender(true) },
    { key: "ctrl+z", act: () => screen.suspend() },
    { key: "ctrl+d", when: (data) => isPlain(data) && prompt.isEmpty(), act: leave },
    // With something in the prompt it closes the list of completions, or means nothing.
    {
      key: "escape",
      when: (data) => isPlain(data) && prompt.isEmpty(),
      act: () => void conversation?.stop(),
    },
  ];
  const off = tui.addInputListener((data) => {
    if (isKeyRelease(data)) return undefined;
    const pressed = keys.find(({ key, when }) => matchesKey(data, key) && when?.(data) !== false);
    if (pressed !== undefined) {
      pressed.act();
      screen.repaint();
      return { consume: true };
    }
    if (isLate(data)) return { consume: true };
    const panel = screen.panel();
    if (panel?.open === true) tui.setFocus(panel.takes(data) ? panel.component : prompt.component);
    return undefined;
  });
  return { [Symbol.dispose]: off };
}

/** Whoever wants to leave a second time does not want to wait. */
function leaving({ leave, abandon }: KeyboardParts): () => void {
  let already = false;
  return () => {
    if (already) return abandon();
    already = true;
    leave();
  };
}

type Key = {
  readonly key: Parameters<typeof matchesKey>[1];
  readonly when?: (data: string) => boolean;
  act(): void;
};

/** Two presses of Ctrl+C within this leave. */
const doublePressMs = 2_000;

/** Stops what runs; else clears what is typed; else the second press leaves. */
function interruption({ screen, clock, leave }: KeyboardParts, stop: () => boolean): () => void {
  let last = -Infinity;
  return () => {
    const now = clock.monotonic();
    const isSecond = now - last < doublePressMs;
    last = now;
    if (isSecond) return leave();
    if (stop()) return;
    if (!screen.prompt.isEmpty()) {
      // Cleared on purpose, so it does not count as the first of two.
      last = -Infinity;
      return screen.prompt.setText("");
    }
    screen.status({ hint: "Ctrl+C again leaves" });
    void forgetHint(screen, clock);
  };
}

async function forgetHint(screen: Screen, clock: Clock): Promise<void> {
  await clock.sleep(doublePressMs);
  screen.status({ hint: undefined });
}
