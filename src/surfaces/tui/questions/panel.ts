import { closedTexts, decidedText } from "../../../core/asking-words.ts";
import type { Answered, Answers, ApprovalState, InquiryState } from "../../../core/asking.ts";
import type { Envelope } from "../../../core/events.ts";
import type { Client } from "../../../core/calls.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Theme } from "../theme.ts";
import type { Component, Focusable } from "../toolkit.ts";
import { approvalView } from "./approval.ts";
import { inquiryView } from "./inquiry.ts";
import { pressed, isKey, type KeyName } from "./keys.ts";
import { type OpenQuestion, questionQueue, type QuestionQueue } from "./queue.ts";
import { fit, cleanLine } from "./text.ts";
import type { Answer, Frame, QuestionView } from "./view.ts";

export type QuestionOptions = {
  readonly host: Client<"approvals.answer" | "inquiries.reply">;
  readonly theme: Theme;
  readonly clock: Clock;
  /** Height of the terminal. */
  readonly rows: () => number;
  /** Repaint, and look at `open` again. */
  onChange(): void;
  /** One line: what was decided, and by whom. */
  say(text: string): void;
};

export interface QuestionPanel extends Disposable {
  /** Renders nothing when no question is open. */
  readonly component: Component & Focusable;
  readonly open: boolean;
  event(event: Envelope): void;
  /** False: this key was typed before the person could see the question, and is for the prompt. So is Ctrl+C, always. */
  takes(data: string): boolean;
  /** True: this key was meant for a question that is gone before the person could see that, and is for nobody. Never Ctrl+C. */
  swallows(data: string): boolean;
  /** Closes all without a word: their session is no longer the one that is shown. */
  forget(): void;
}

/** Shows the questions of turns, one after the other, and brings back what the person says. */
export function questionPanel(options: QuestionOptions): QuestionPanel {
  const { clock, onChange, theme } = options;
  const guard = typingGuard(clock);
  const late = lateKeys(clock);
  let disposed = false;
  const queue: QuestionQueue = questionQueue({
    first() {
      guard.begin();
      timer.to(queue.first?.expiresAt);
    },
    change: onChange,
    say: (text) => options.say(cleanLine(text)),
    taken: (id) => late.begin(id.startsWith("apr_")),
  });
  const timer = countdown(clock, onChange, () => closeUnreported(queue));
  const send = async (question: OpenQuestion, answer: Answer): Promise<void> => {
    question.sent = true;
    onChange();
    const answered = await answer().catch(failedAnswer);
    if (disposed || queue.find(question.id) === undefined) return;
    if (answered.outcome === "taken") return timer.to(clock.now());
    settle(question, answered, queue);
    onChange();
  };
  const component: Component & Focusable = {
    focused: false,
    render(width) {
      late.painted();
      const question = queue.first;
      if (question === undefined || disposed) return [];
      guard.painted();
      const { sent, view } = question;
      const info = infoOf(queue.length, sent ? undefined : timer.left(), theme);
      const frame = { width, rows: options.rows(), theme, info, sent, focused: component.focused };
      return view.render(frame).map((row) => fit(row, width));
    },
    handleInput(data) {
      const question = queue.first;
      const key = pressed(data);
      if (question === undefined || question.sent || key.kind === "release" || !guard.takes(data)) return;
      const answer = question.view.press(key);
      if (answer !== undefined && guard.hasPassed) void send(question, answer);
    },
    invalidate: () => queue.all.forEach(({ view }) => view.invalidate()),
  };
  return {
    component,
    get open() {
      return !disposed && queue.length > 0;
    },
    event: (event) => (disposed ? undefined : applyEvent(event, queue, options)),
    takes: (data) => !disposed && queue.length > 0 && (late.has(data) || guard.takes(data)),
    swallows: (data) => !disposed && queue.length === 0 && late.has(data),
    forget: () => forget(queue, late),
    [Symbol.dispose]() {
      disposed = true;
      timer[Symbol.dispose]();
    },
  };
}

function forget(queue: QuestionQueue, late: LateKeys): void {
  queue.clear();
  late.end();
}

const failedAnswer = (error: unknown): Answered => ({
  outcome: "refused",
  why: `The answer could not be given (${error instanceof Error ? error.message : String(error)}). Try again.`,
});

function settle(
  question: OpenQuestion,
  answered: Exclude<Answered, { outcome: "taken" }>,
  queue: QuestionQueue,
): void {
  switch (answered.outcome) {
    case "refused":
      question.sent = false;
      return question.view.failed(answered.why);
    case "late":
      return queue.close(
        question.id,
        `too late: ${decidedText(answered) ?? "somebody or something was first"}`,
      );
    case "unknown":
      return queue.close(question.id, "the question is gone: nobody waits for its answer any more");
  }
}

/** Closes a question that was answered or has expired, when no event reported its end. */
function closeUnreported(queue: QuestionQueue): void {
  const { first } = queue;
  if (first !== undefined) queue.take(first.id, first.sent ? "answered" : closedTexts.timeout);
}

/** From here on the countdown is highlighted. */
const hurrySeconds = 60;

function infoOf(count: number, left: number | undefined, theme: Theme): Frame["info"] {
  const queued = count > 1 ? [`1 of ${count}`] : [];
  const time = left === undefined ? [] : [left === 0 ? "time is up" : `${left} s left`];
  const hurry = left !== undefined && left <= hurrySeconds;
  return { text: [...queued, ...time].join(" · "), paint: hurry ? theme.warn : theme.faint };
}

function applyEvent(event: Envelope, queue: QuestionQueue, { host }: QuestionOptions): void {
  if (event.type === "approval") {
    const { approval } = event;
    if (approval.decision?.why === "withdrawn") return queue.close(approval.id, stopped);
    if (approval.decision !== undefined) return queue.take(approval.id, decidedText(approval));
    const view = () =>
      approvalView(approval, (choice) => host.call("approvals.answer", { approval: approval.id, choice }));
    queue.add(approval.id, () => openQuestion(event, approval, view()));
  }
  if (event.type === "inquiry") {
    const { inquiry } = event;
    if (inquiry.closed === "withdrawn") return queue.close(inquiry.id, closedText(inquiry, queue));
    if (inquiry.closed !== undefined) return queue.take(inquiry.id, closedText(inquiry, queue));
    const reply = (answers: Answers | undefined): Promise<Answered> =>
      host.call("inquiries.reply", {
        inquiry: inquiry.id,
        ...(answers === undefined ? {} : { answers }),
      });
    const view = () => inquiryView(inquiry, reply);
    queue.add(inquiry.id, () => openQuestion(event, inquiry, view()));
  }
  if (event.type === "ended")
    for (const { id, turn } of queue.all.toReversed())
      if (turn === event.turn)
        queue.close(id, event.outcome === "interrupted" ? stopped : closedTexts.withdrawn);
}

const stopped = "question withdrawn: the turn was interrupted";

const openQuestion = (
  { turn }: Envelope,
  { id, expiresAt }: Pick<ApprovalState | InquiryState, "id" | "expiresAt">,
  view: QuestionView,
): OpenQuestion => ({ id, turn, ...(expiresAt === undefined ? {} : { expiresAt }), view, sent: false });

function closedText({ id, closed }: InquiryState, queue: QuestionQueue): string | undefined {
  const elsewhere = closed === "answered" && queue.find(id)?.sent !== true;
  return elsewhere ? "answered elsewhere" : closedTexts[closed ?? "withdrawn"];
}

/** The turn says when a question is over; this long after that nobody speaks of it any more. */
const graceMs = 5_000;

interface Countdown extends Disposable {
  /** Whole seconds; 0 when time is up, `undefined` when it never is. */
  left(): number | undefined;
  /** Counts on to another end, or stops. */
  to(expiresAt: number | undefined): void;
}

/** `onTick` whenever the number changes, `onGone` once when the end has long passed. */
function countdown(clock: Clock, onTick: () => void, onGone: () => void): Countdown {
  let end: number | undefined;
  let stop = new AbortController();
  const remaining = (): number => (end ?? Infinity) - clock.now();
  const wait = (ms: number, then: () => void): void => void clock.sleep(ms, stop.signal).then(then, () => {});
  const next = (): void => {
    const ms = remaining();
    if (!Number.isFinite(ms)) return;
    if (ms <= 0) return wait(Math.max(0, ms + graceMs), onGone);
    wait(ms - (Math.ceil(ms / 1000) - 1) * 1000, () => {
      onTick();
      next();
    });
  };
  return {
    left: () => (Number.isFinite(remaining()) ? Math.max(0, Math.ceil(remaining() / 1000)) : undefined),
    to(expiresAt) {
      stop.abort();
      stop = new AbortController();
      end = expiresAt;
      next();
    },
    [Symbol.dispose]: () => stop.abort(),
  };
}

/** A person who is typing does not notice a new question at once. */
const quietMs = 500;

/** Keys that only scroll or deny; none of them can allow anything. */
const harmless: readonly KeyName[] = ["escape", "up", "down", "pageUp", "pageDown", "ctrl+u", "ctrl+d"];

/** Tells keys that were typed before a question could be seen from those that are meant for it. */
interface TypingGuard {
  /** Another question is to be shown. */
  begin(): void;
  /** It is on the screen. */
  painted(): void;
  /** Half a second on the screen, and as long without typing. */
  readonly hasPassed: boolean;
  takes(data: string): boolean;
}

function typingGuard(clock: Clock): TypingGuard {
  let since: number | undefined;
  const isOver = (): boolean => since !== undefined && clock.monotonic() - since >= quietMs;
  return {
    begin: () => void (since = undefined),
    painted: () => void (since ??= clock.monotonic()),
    get hasPassed() {
      return isOver();
    },
    takes(data) {
      const key = pressed(data);
      if (key.kind === "release") return true;
      if (isKey(key, "ctrl+c")) return false;
      if (isOver() || isKey(key, ...harmless)) return true;
      if (since !== undefined) since = clock.monotonic();
      return false;
    },
  };
}

/** Tells keys that were meant for a question which somebody else, or time, has taken away from those that come after it. */
interface LateKeys {
  /** It is taken away. `isChoice`: it was answered with numbers, not with words. */
  begin(isChoice: boolean): void;
  /** That is on the screen. */
  painted(): void;
  has(data: string): boolean;
  end(): void;
}

function lateKeys(clock: Clock): LateKeys {
  let until = -Infinity;
  // A choice is two keys: the Enter after a late one is late, too.
  let enterUntil = -Infinity;
  let ofChoice = false;
  const end = (): void => void (until = enterUntil = -Infinity);
  return {
    begin(isChoice) {
      until = Infinity;
      ofChoice = isChoice;
    },
    painted() {
      if (until === Infinity) until = clock.monotonic() + quietMs;
    },
    has(data) {
      const key = pressed(data);
      if (key.kind === "release" || isKey(key, "ctrl+c")) return false;
      const now = clock.monotonic();
      if (now >= until && !(isKey(key, "enter") && now < enterUntil)) return false;
      // Whoever writes words has seen that there is nothing to choose any more.
      if (ofChoice && (key.kind === "paste" || (key.kind === "text" && !/^\d/.test(key.text)))) {
        end();
        return false;
      }
      enterUntil = now + quietMs;
      return true;
    },
    end,
  };
}
