import { stripVTControlCharacters } from "node:util";
import type { Answered, Answers, ApprovalState, Choice, InquiryState } from "../../../core/asking.ts";
import type { Envelope } from "../../../core/events.ts";
import { asId } from "../../../core/ids.ts";
import { clean } from "../../../core/plain-text.ts";
import { fakeClock } from "../../../../test/fakes/fake-clock.ts";
import { questionPanel } from "./panel.ts";
import { makeTheme } from "../theme.ts";
import { CURSOR_MARKER } from "../toolkit.ts";
import { clientOf } from "../../../../test/fakes/client.ts";

export const start = Date.UTC(2026, 0, 1);
export const place = { v: 1, seq: 1, session: asId<"ses">("ses_1"), turn: asId<"trn">("trn_1") } as const;

export const approvalOf = (change: Partial<ApprovalState> = {}): ApprovalState => ({
  id: asId<"apr">("apr_1"),
  question: {
    tool: "terminal",
    args: {},
    cwd: "/w",
    effect: "local",
    action: { kind: "tool" },
    summary: "rm -f x",
  },
  shown: ["command:", "    rm -f x", "folder: /w"],
  choices: ["once", "session", "always", "deny"],
  expiresAt: start + 300_000,
  ...change,
});

export const inquiryOf = (
  fields: InquiryState["form"]["fields"],
  title = "The agent asks",
): InquiryState => ({
  id: asId<"inq">("inq_1"),
  form: { title, fields },
  expiresAt: start + 300_000,
});

export const keys = {
  enter: "\r",
  escape: "\u001B",
  up: "\u001B[A",
  down: "\u001B[B",
  right: "\u001B[C",
  left: "\u001B[D",
  tab: "\t",
  shiftTab: "\u001B[Z",
  pageUp: "\u001B[5~",
  pageDown: "\u001B[6~",
  ctrlU: "\u0015",
  ctrlD: "\u0004",
  ctrlC: "\u0003",
  backspace: "\u007F",
} as const;

export const paste = (text: string): string => `\u001B[200~${text}\u001B[201~`;

/** What could steer a terminal, line ends aside. */
export const controls = (text: string): string =>
  Array.from(text)
    .filter((each) => each !== "\n" && clean(each) !== each)
    .join("");

type Bench = {
  readonly answer?: (choice: Choice, id: string) => Promise<Answered>;
  readonly reply?: (answers: Answers | undefined, id: string) => Promise<Answered>;
  readonly width?: number;
  readonly rows?: number;
  readonly color?: boolean;
};

/** A panel as the app uses it: each frame is painted, and what the panel does not take goes to a prompt. */
export function bench({ answer, reply, width = 80, rows = 24, color = false }: Bench = {}) {
  const clock = fakeClock(start);
  const theme = makeTheme(color);
  const told: unknown[] = [];
  const said: string[] = [];
  const size = { width, rows };
  let prompt = "";
  let changes = 0;
  const panel = questionPanel({
    host: clientOf({
      "approvals.answer": async ({ approval: id, choice }, by) => {
        told.push([id, choice, by.name]);
        return (await answer?.(choice, id)) ?? { outcome: "taken" };
      },
      "inquiries.reply": async ({ inquiry: id, answers }, by) => {
        told.push([id, answers, by.name]);
        return (await reply?.(answers, id)) ?? { outcome: "taken" };
      },
    }),
    theme,
    clock,
    rows: () => size.rows,
    onChange: () => void (changes += 1),
    say: (text) => void said.push(text),
  });
  panel.component.focused = true;
  const lines = (): string[] => panel.component.render(size.width);
  return {
    panel,
    theme,
    clock,
    told,
    said,
    size,
    lines,
    screen: () => stripVTControlCharacters(lines().join("\n").replaceAll(CURSOR_MARKER, "")),
    prompt: () => prompt,
    changes: () => changes,
    say(event: object): void {
      panel.event({ ...place, ...event } as Envelope);
      lines();
    },
    ask(approval: ApprovalState = approvalOf(), turn = "trn_1"): void {
      this.say({ type: "approval", approval, turn });
    },
    /** Each key as the terminal brings it, with a frame after it. */
    async press(...pressed: readonly string[]): Promise<void> {
      for (const data of pressed) {
        if (panel.open && panel.takes(data)) panel.component.handleInput?.(data);
        else if (!panel.swallows(data)) prompt += data;
        await clock.advance(0);
        lines();
      }
    },
    /** Long enough for a question to be seen. */
    wait: (ms = 600) => clock.advance(ms),
  };
}
