import type { Agent } from "../../agent/index.ts";
import type { Client, Conversations, Handlers, InputOf } from "../../core/calls.ts";
import type { EndedEnvelope, Envelope } from "../../core/events.ts";
import type { Sent } from "../../core/host.ts";
import { type Caller, type Principal, principalOf } from "../../core/principal.ts";
import { type InboxId, newId } from "../../core/ids.ts";
import { dispatch } from "../../operations/chat/dispatch.ts";
import { contextWindow } from "../models/models.ts";
import { contextBill } from "../prompt/context-bill.ts";
import { followed } from "../sessions/followed.ts";
import { toolsOf } from "../tools/delegation.ts";
import { ownCommand } from "../sessions/own-command.ts";
import { storedEnding } from "../sessions/stored-ending.ts";
import type { SessionOperation } from "../sessions/session-access.ts";
import type { AccessOperation } from "./access.ts";
import type { GoalOperation } from "./goals.ts";
import type { Joined } from "./joined.ts";
import { inputSettings, ownInput } from "./own-input.ts";

/** `as`: a client for whoever typed a command, so that it can do nothing that they may not. */
export function conversations(
  joined: Joined,
  send: Agent["send"],
  as: (caller: Caller) => Client,
): Handlers<Exclude<keyof Conversations, SessionOperation | AccessOperation | GoalOperation>> {
  const { agent, tasks, reviews, learned, work, clock } = joined;
  const endings = turnEndings();
  const senders = typedBy();
  const defaults = inputSettings(joined);
  return {
    async "turns.send"(wish, caller) {
      joined.terminals.typedIn(wish.session, caller.terminal);
      senders.note(wish.key.messageId, caller);
      const { ended, ...sent } = await send(await ownInput(wish, caller, defaults));
      void endings.add({ ...sent, ended });
      return sent;
    },
    "turns.wait": async ({ inbox }, _, stop) => endings.of(inbox) ?? storedEnding(joined, inbox, stop),
    "turns.stop": async ({ session }, caller) =>
      (await tasks.stop(session)) ?? agent.stop(session, others(caller)),
    "turns.undo"({ session, turns }, caller) {
      void reviews.cancel(session); // what is taken back is not to be learned from
      return agent.undo(session, turns, others(caller));
    },
    "turns.redo": ({ session }, caller) => agent.redo(session, others(caller)),
    "sessions.follow": (wanted, caller, signal) =>
      followed(agent.subscribe, seen(wanted, caller), signal, {
        isOwn: senders.isBy(caller),
        shown: (turn) => work.shown(turn, caller.surface),
      }),
    "sessions.catchUp": async ({ session }) => (await agent.catchUp(session), null),
    "sessions.fork": ({ session, upTo }) => agent.fork(session, upTo),
    "sessions.compress": ({ session, asked }) => agent.compress(session, asked),
    "sessions.choose": async ({ session, change }) => (await agent.choose(session, change), null),
    "sessions.context": contextOf(joined),
    "sessions.refine": ({ session }) => learned.learned.refine(session),
    "processes.list": async ({ session }) => agent.running(session),
    "processes.end": ({ session, id }, caller) => agent.endRunning(session, id, others(caller)),
    "tasks.list": async ({ session }) => tasks.list(session),
    "chat.command": ({ line, chat }, caller) =>
      dispatch(
        line,
        {
          ...chat,
          surface: caller.surface,
          now: clock.now(),
          by: principalOf(caller),
          busy: chat.session !== undefined && agent.isBusy(chat.session),
        },
        as(caller),
      ),
    "shell.run": ownCommand(joined),
  };
}

const contextOf = ({
  store,
  clock,
  prepare,
  toolBox,
  runtime,
  loaded,
}: Joined): ReturnType<typeof contextBill> =>
  contextBill({
    store,
    clock,
    preview: prepare.preview,
    tools: async (session) => {
      const { id = newId("ses", clock.now()), audience = "owner" } = session ?? {};
      const all = (await toolBox.tools()).filter((tool) => !toolBox.switches.isOff(tool));
      return toolsOf(store, { session: id, audience }, all, loaded.config.work.handsOutCards);
    },
    runtime: { known: loaded.config.model.runtime, fresh: runtime.current },
    window: contextWindow(loaded.config),
  });

/** Questions wait for the person at this machine alone, whoever else says to be one. */
const seen = (
  { by, ...wanted }: InputOf<"sessions.follow">,
  { role, local }: Caller,
): InputOf<"sessions.follow"> => (role === "owner" && local && by !== undefined ? { ...wanted, by } : wanted);

/** Whose own alone they may touch; undefined: the owner's word counts for all of it. */
const others = (caller: Caller): Principal | undefined =>
  caller.role === "owner" ? undefined : principalOf(caller);

/** More than wait or run at once. */
const mostSenders = 10_000;

/** Who has typed what is on its way: they need not be told. Each connection is a caller of its own. */
function typedBy() {
  const senders = new Map<string, Caller>();
  return {
    note(message: string, caller: Caller): void {
      senders.set(message, caller);
      const [oldest] = senders.keys();
      if (senders.size > mostSenders && oldest !== undefined) senders.delete(oldest);
    },
    isBy: (caller: Caller) => (event: Envelope) =>
      event.type === "said" && event.message !== undefined && senders.get(event.message) === caller,
  };
}

/** How many turns that have ended are remembered for whoever asks late. */
const mostEnded = 1000;

function turnEndings() {
  const known = new Map<InboxId, Promise<EndedEnvelope | undefined>>();
  const over: InboxId[] = [];
  return {
    async add({ inbox, state, ended }: Pick<Sent, "inbox" | "state" | "ended">): Promise<void> {
      // Sent twice, it ends with the turn that took it first.
      if (known.has(inbox) || state === "duplicate") return;
      known.set(inbox, ended);
      await ended;
      if (over.push(inbox) > mostEnded) known.delete(over.shift() ?? inbox);
    },
    /** `undefined`: it was not sent here. */
    of: (inbox: InboxId): Promise<EndedEnvelope | null> | undefined =>
      known.get(inbox)?.then((ended) => ended ?? null),
  };
}
