import type { Client } from "../../core/calls.ts";
import type { Envelope, SaidEvent } from "../../core/events.ts";
import { toFailure } from "../../core/failure.ts";
import { type Listening, listen } from "../../core/client/listening.ts";
import type { SessionId, TurnId } from "../../core/ids.ts";
import { type FromElsewhere, fromElsewhere, heardFromElsewhere } from "../../core/client/elsewhere.ts";
import { type SeenTurns, seenTurns } from "../../core/client/past.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Attention, attention } from "./attention.ts";
import type { ChatParts } from "./chat.ts";
import { type TypedInputs, typedInputs } from "./input/typed-inputs.ts";
import { type QuestionPanel, questionPanel } from "./questions/panel.ts";
import type { Screen } from "./screen.ts";
import { typedInput } from "../../core/skill-input.ts";
import { mostMessages } from "./transcript/past.ts";
import type { UserEntry } from "./transcript/view.ts";

/** Follows one session: shows what happens in it, and knows what of ours still waits or runs. */
export interface SessionWatch {
  readonly inputs: TypedInputs;
  /** `known`: it exists, and what was said in it is shown. */
  follow(known: SessionId | undefined, id: SessionId): Promise<void>;
  isBusy(): boolean;
  /** False: there is nothing to stop. */
  stop(): boolean;
  /** Shows what another process has added to the session meanwhile: the model will be given it. */
  catchUp(known: SessionId | undefined): Promise<void>;
  /** Nothing more is shown, and the title is the terminal's again. */
  end(): void;
}

type Watching = {
  readonly host: Client;
  readonly screen: Screen;
  readonly turn: RunningTurn;
  readonly inputs: TypedInputs;
  readonly alerts: Attention;
  readonly panel: QuestionPanel;
  session?: SessionId;
  /** What of the session was shown. */
  seen: SeenTurns;
  /** The last turn of somebody else's who is attached to the same host. */
  theirs?: TurnId;
  away: FromElsewhere;
  title?: string;
  listening?: Listening;
  /** Ring when a turn ends or a question waits. */
  bell: boolean;
  /** How many things turns of the session have left running. */
  leftRunning: number;
};

export function sessionWatch(parts: ChatParts): SessionWatch {
  const watching = openWatch(parts);
  const { host, screen, turn, inputs, alerts, panel } = watching;
  return {
    inputs,
    async follow(known, id) {
      watching.listening?.leave();
      watching.session = id;
      watching.leftRunning = 0;
      watching.seen = seenTurns();
      watching.away = awayIn(watching);
      delete watching.title;
      inputs.forget();
      panel.forget();
      alerts.waiting(undefined);
      turn.end();
      screen.status({ context: undefined, cost: undefined });
      const onError = (error: unknown): void => screen.view.fault(toFailure(error));
      const options = { by: "person", elsewhere: true, onError } as const;
      watching.listening = listen(host, id, (event) => onEvent(watching, event), options);
      const [{ display }, running] = await Promise.all([
        host.call("host.status", {}),
        host.call("processes.list", { session: id }),
      ]);
      watching.bell = display.bell;
      watching.leftRunning = running.length;
      if (known !== undefined) await showPast(watching, known, parts.ports.cwd);
      watching.away.release();
      screen.repaint();
    },
    isBusy: () => turn.isRunning() || inputs.count() > 0,
    stop() {
      const { session } = watching;
      if (session === undefined) return false;
      if (!turn.isRunning() && inputs.count() === 0 && watching.leftRunning === 0) return false;
      void stop(watching, session);
      return true;
    },
    async catchUp(known) {
      if (known === undefined || turn.isRunning()) return;
      try {
        await heardFromElsewhere(host, known);
        const missed = await watching.seen.missed(host, known);
        if (missed.length > 0) screen.view.note("This session went on elsewhere:");
        screen.view.past({ earlier: 0, turns: missed });
      } catch (error) {
        screen.view.fault(toFailure(error));
      }
    },
    end() {
      watching.listening?.leave();
      turn.end();
      alerts.end();
    },
  };
}

function openWatch({ host, screen, clock }: ChatParts): Watching {
  const { view, theme, rows } = screen;
  const turn: RunningTurn = runningTurn(screen, clock, () => inputs.queued());
  const inputs = typedInputs(
    view,
    () => turn.paint(),
    (text) => screen.prompt.remember(text),
  );
  const alerts = attention({
    terminal: screen.tui.terminal,
    bell: () => watching.bell,
    name: () => watching.title ?? "",
    clock,
  });
  const panel = questionPanel({
    host,
    theme,
    clock,
    rows,
    onChange: () => {
      if (panel.open) alerts.waiting("question");
      if (!panel.open && turn.isRunning()) alerts.working();
      screen.refocus();
    },
    say: (text) => view.note(text),
  });
  screen.ask(panel);
  const watching: Watching = {
    host,
    screen,
    turn,
    inputs,
    alerts,
    panel,
    seen: seenTurns(),
    away: fromElsewhere(seenTurns(), noLine, noLine),
    bell: true,
    leftRunning: 0,
  };
  return watching;
}

const noLine = (): void => {};

/** Turns of other terminals and editors: they are shown, and are nothing of ours to wait for or to stop. */
const awayIn = (watching: Watching): FromElsewhere =>
  fromElsewhere(
    watching.seen,
    () => watching.screen.view.note("This session went on elsewhere:"),
    (event) => {
      const { screen, panel } = watching;
      if (event.type === "said") screen.view.user(saidBlock(event));
      // How long it took and what it used is for whoever waited for it.
      const { usage: _usage, ...ended } = { usage: undefined, ...event };
      if (event.type !== "started") screen.view.event(ended);
      panel.event(event);
      if (event.type === "ended") void showSpent(watching).catch(() => {});
      screen.repaint();
    },
  );

function saidBlock({ turn, seq, message = "", input, steered }: Envelope & SaidEvent): UserEntry {
  const text = input.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const images = input.flatMap((part) => (part.type === "image" ? [part.name] : []));
  const state = steered === true ? { state: "steered" as const } : {};
  return { id: `${turn} ${seq} ${message}`, text: typedInput(text), images, ...state };
}

function onEvent(watching: Watching, event: Envelope): void {
  const { screen, turn, inputs, alerts, panel } = watching;
  if (event.elsewhere === true) return watching.away.hear(event);
  watching.away.interrupted();
  watching.seen.followed(event.turn);
  if (event.type === "said") {
    screen.view.user(saidBlock(event));
    if (event.steered !== true) watching.theirs = event.turn;
  }
  const isTheirs = watching.theirs === event.turn;
  if (event.type === "started") {
    turn.begin();
    if (event.unasked !== true && !isTheirs) inputs.turnBegan();
    alerts.working();
    screen.status({ model: event.model, runtime: event.runtime });
  }
  // One that could not be started has an end alone.
  if (event.type === "ended" && !turn.isRunning() && !isTheirs) inputs.turnBegan();
  turn.update(event);
  if (event.type === "usage") screen.status({ context: event.context });
  screen.view.event(event);
  panel.event(event);
  if (event.type === "ended") {
    turn.end();
    watching.leftRunning = event.running?.length ?? 0;
    alerts.waiting("done");
    void showSpent(watching).catch(() => {}); // a cost that is not shown is no reason to disturb anybody
  }
  // The next frame may be too late: with our return it counts as shown.
  if (event.type === "notice" && event.receipt === true) return screen.tui.renderNow();
  screen.repaint();
}

async function showPast(watching: Watching, known: SessionId, cwd: string): Promise<void> {
  const { host, screen } = watching;
  await heardFromElsewhere(host, known);
  const [row, all] = await Promise.all([
    host.call("sessions.get", { session: known }),
    host.call("sessions.past", { session: known, last: mostMessages }),
  ]);
  const told = watching.away.toBeTold();
  const past = { ...all, turns: all.turns.filter(({ turn }) => turn.state !== "open" || !told.has(turn.id)) };
  const turns = past.turns.map(({ turn }) => turn);
  if (row.title !== undefined) watching.title = row.title;
  screen.view.past(past);
  watching.seen.shown(turns);
  if (row.cwd !== cwd) screen.view.note(`This session works in ${row.cwd}.`);
  const context = turns.at(-1)?.usage?.context;
  if (context !== undefined) screen.status({ context });
  await showSpent(watching);
}

/** What the session has cost so far, and its title, which comes a little after its first turn. */
async function showSpent(watching: Watching): Promise<void> {
  const { host, screen, session } = watching;
  if (session === undefined) return;
  const { cost } = await host.call("usage.total", { session });
  if (cost !== undefined) screen.status({ cost });
  const { title } = await host.call("sessions.get", { session });
  if (title !== undefined) watching.title = title;
}

async function stop(watching: Watching, session: SessionId): Promise<void> {
  const { host, screen } = watching;
  screen.status({ hint: "stopping…" });
  try {
    const { setAside, ended } = await host.call("turns.stop", { session });
    watching.leftRunning = 0;
    for (const { command } of ended) screen.view.note(`Ended: ${command}`);
    if (setAside === 1)
      screen.view.note("The message that waited was set aside: /queue sends or drops it, ↑ brings it back.");
    if (setAside > 1)
      screen.view.note(
        `${setAside} messages that waited were set aside: /queue sends or drops them, ↑ brings the last one back.`,
      );
  } catch (error) {
    screen.view.fault(toFailure(error));
  } finally {
    screen.status({ hint: undefined });
  }
}

/** The line that says what goes on, kept moving while a turn runs. */
interface RunningTurn {
  begin(): void;
  update(event: Envelope): void;
  end(): void;
  isRunning(): boolean;
  paint(): void;
}

/** How often it is painted anew while nothing else changes. */
const frameMs = 100;

type Turn = {
  readonly since: number;
  status?: Extract<Envelope, { type: "status" }>;
  answering?: boolean;
};

function runningTurn(
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
    update(event) {
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
    isRunning: () => turn !== undefined,
    paint,
  };
}
