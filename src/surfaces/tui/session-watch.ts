import { localOwner } from "../../core/asking.ts";
import type { Envelope } from "../../core/events.ts";
import { toFailure } from "../../core/failure.ts";
import type { Sent, Unsubscribe } from "../../core/host.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Talk } from "../../core/talk.ts";
import { attention } from "./attention.ts";
import type { ConversationParts } from "./conversation.ts";
import { questionPanel } from "./question-panel.ts";

/** Follows one session: shows what happens in it, and knows what of ours still waits or runs. */
export interface SessionWatch {
  greet(): Promise<void>;
  /** `known`: it exists, and what was said in it is shown. */
  follow(known: SessionId | undefined, id: SessionId): Promise<void>;
  /** Brings the status line up to date. */
  refresh(talk: Talk): Promise<void>;
  typed(id: string, text: string, pictures: readonly string[]): void;
  sent(id: string, sent: Sent): void;
  refused(id: string): void;
  isBusy(): boolean;
  stop(): boolean;
  /** Nothing more is shown, and the title is the terminal's again. */
  end(): void;
}

/** How often what goes on is painted anew while nothing else changes. */
const frameMs = 100;

type Waiting = { readonly id: string; started: boolean };

export function sessionWatch({ host, screen, ports, clock }: ConversationParts): SessionWatch {
  const { view, tui } = screen;
  let session: SessionId | undefined;
  let title: string | undefined;
  let unsubscribe: Unsubscribe = () => {};
  let waiting: readonly Waiting[] = [];
  let turn: { readonly since: number; status?: Extract<Envelope, { type: "status" }> } | undefined;
  let ticking = false;
  const call = attention({
    terminal: tui.terminal,
    bell: () => host.status().display.bell,
    name: () => title ?? "",
    clock,
  });
  const panel = questionPanel({
    host,
    by: localOwner("tui"),
    theme: screen.theme,
    clock,
    rows: screen.rows,
    onChange: () => {
      if (panel.open) call.waiting("question");
      if (!panel.open && turn !== undefined) call.working();
      screen.refocus();
    },
    say: (text) => view.note(text),
  });
  screen.ask(panel);

  const paintActivity = (): void => {
    const queued = waiting.filter(({ started }) => !started).length;
    screen.status({ queued });
    screen.activity(
      turn === undefined
        ? undefined
        : { since: turn.since, queued, ...(turn.status === undefined ? {} : { status: turn.status }) },
    );
  };
  const tick = async (): Promise<void> => {
    if (ticking) return;
    ticking = true;
    while (turn !== undefined) {
      paintActivity();
      await clock.sleep(frameMs);
    }
    ticking = false;
  };
  const hear = (event: Envelope): void => {
    if (event.type === "started") {
      turn = { since: clock.monotonic() };
      waiting = waiting.map((each, at) => (at === firstWaiting(waiting) ? begun(each) : each));
      screen.status({ model: event.model, runtime: event.runtime });
      call.working();
      void tick();
    }
    if (event.type === "status" && turn !== undefined) turn.status = event;
    if (event.type === "usage") screen.status({ context: event.context });
    view.event(event);
    panel.event(event);
    if (event.type === "ended") {
      turn = undefined;
      call.waiting("done");
      paintActivity();
      void spent();
    }
    screen.repaint();
  };
  const begun = (each: Waiting): Waiting => {
    view.settle(each.id, "sent");
    return { ...each, started: true };
  };
  /** What the session has cost so far, and its title, which comes a little after its first turn. */
  const spent = async (): Promise<void> => {
    if (session === undefined) return;
    const { total } = await host.usage({ session });
    if (total.cost !== undefined) screen.status({ cost: total.cost });
    title = (await host.sessions.get(session)).title;
  };

  return {
    async greet() {
      const { version, model, provider, runtime, profile } = host.status();
      const facts = { version, model, provider, runtime, profile, cwd: ports.cwd, warnings: host.warnings };
      screen.banner(facts);
      const [ready, tools] = await Promise.all([
        runtime === "codex" ? host.readiness("codex") : undefined,
        host.tools(),
      ]);
      const found = ready?.ok === true && ready.version !== undefined ? { codexVersion: ready.version } : {};
      const trouble = ready?.ok === false ? [`${ready.fault.message} ${ready.fault.next}`] : [];
      screen.banner({
        ...facts,
        ...found,
        tools: tools.filter(({ unavailable }) => unavailable === undefined).length,
        warnings: [...host.warnings, ...trouble],
      });
    },
    async follow(known, id) {
      unsubscribe();
      session = id;
      title = undefined;
      waiting = [];
      turn = undefined;
      panel.forget();
      call.waiting(undefined);
      unsubscribe = host.subscribe(id, hear);
      paintActivity();
      if (known === undefined) return;
      const [row, messages, turns] = await Promise.all([
        host.sessions.get(known),
        host.sessions.messages(known),
        host.sessions.turns(known),
      ]);
      title = row.title;
      view.past(messages, turns);
      if (row.cwd !== ports.cwd) view.note(`This session works in ${row.cwd}.`);
      const context = turns.at(-1)?.usage?.context;
      if (context !== undefined) screen.status({ context });
      await spent();
    },
    async refresh({ session: current, choices, attended }) {
      const { model, runtime, knownRuntime } = host.status();
      const row = current === undefined ? undefined : await host.sessions.get(current);
      const now = row === undefined ? (choices.runtime ?? runtime) : (row.runtime ?? knownRuntime);
      const ready = now === "codex" ? await host.readiness("codex") : undefined;
      screen.status({
        model: row?.model ?? choices.model ?? model,
        runtime: now,
        codexVersion: ready?.ok === true ? ready.version : undefined,
        yolo: attended === "all",
        recording: choices.record === true,
      });
    },
    typed(id, text, pictures) {
      const state = turn !== undefined || waiting.length > 0 ? { state: "queued" as const } : {};
      view.user({ id, text, images: pictures, ...state });
      waiting = [...waiting, { id, started: false }];
      paintActivity();
    },
    sent(id, { state, ended }) {
      if (state === "steered" || state === "unconfirmed" || state === "duplicate") {
        if (state !== "duplicate") view.settle(id, state);
        waiting = waiting.filter((each) => each.id !== id);
        return paintActivity();
      }
      void ended.then((end) => {
        if (end === undefined) view.settle(id, "set aside");
        waiting = waiting.filter((each) => each.id !== id);
        paintActivity();
      });
    },
    refused(id) {
      view.settle(id, "set aside");
      waiting = waiting.filter((each) => each.id !== id);
      paintActivity();
    },
    end() {
      unsubscribe();
      turn = undefined;
      call.end();
    },
    isBusy: () => turn !== undefined || waiting.length > 0,
    stop() {
      if (session === undefined || (turn === undefined && waiting.length === 0)) return false;
      screen.status({ hint: "stopping…" });
      void host
        .stop(session)
        .then(({ setAside }) => {
          if (setAside > 0)
            view.note(`${setAside} queued ${setAside === 1 ? "message was" : "messages were"} set aside.`);
        })
        .catch((error: unknown) => view.fault(toFailure(error)))
        .finally(() => screen.status({ hint: undefined }));
      return true;
    },
  };
}

const firstWaiting = (waiting: readonly Waiting[]): number => waiting.findIndex(({ started }) => !started);
