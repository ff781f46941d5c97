import { wantsTitles } from "../../agent/titles.ts";
import type { Client, Conversations, Handlers } from "../../core/calls.ts";
import type { EndedEnvelope } from "../../core/events.ts";
import { Refusal, type Sent } from "../../core/host.ts";
import type { Principal } from "../../core/principal.ts";
import type { InboxId } from "../../core/ids.ts";
import { dispatch } from "../../operations/chat/dispatch.ts";
import { contextWindow } from "../models/models.ts";
import { contextBill } from "../prompt/context-bill.ts";
import { followed } from "../sessions/followed.ts";
import { ownCommand } from "../sessions/own-command.ts";
import { sending } from "../sessions/sending.ts";
import type { SessionOperation } from "../sessions/session-access.ts";
import type { Joined } from "./joined.ts";

/** `as`: a client for whoever typed a command, so that it can do nothing that they may not. */
export function conversations(
  joined: Joined,
  as: (caller: Principal) => Client,
): Handlers<Exclude<keyof Conversations, SessionOperation>> {
  const { agent, tasks, reviews, learned, clock, store, toolBox, runtime, loaded } = joined;
  const { model, auxiliary } = loaded.config;
  const send = sending({
    ...joined,
    withDefaultRuntime: runtime.applyTo,
    wantsTitles: wantsTitles({ ...joined, enabled: auxiliary.title_generation?.enabled }),
  });
  const endings = turnEndings();
  return {
    async "turns.send"(incoming, from) {
      const { ended, ...sent } = await send({ ...incoming, from });
      void endings.add({ ...sent, ended });
      return sent;
    },
    "turns.wait": ({ inbox }) => endings.of(inbox),
    "turns.stop": async ({ session }) => (await tasks.stop(session)) ?? agent.stop(session),
    "turns.undo"({ session, turns }) {
      // What is taken back is not to be learned from.
      void reviews.cancel(session);
      return agent.undo(session, turns);
    },
    "turns.redo": ({ session }) => agent.redo(session),
    "sessions.follow": (wanted, _caller, signal) => followed(agent.subscribe, wanted, signal),
    "sessions.catchUp": async ({ session }) => (await agent.catchUp(session), null),
    "sessions.fork": ({ session }) => agent.fork(session),
    "sessions.compress": ({ session, asked }) => agent.compress(session, asked),
    "sessions.choose": async ({ session, change }) => (await agent.choose(session, change), null),
    "sessions.context": contextBill({
      store,
      clock,
      preview: joined.prepare.preview,
      tools: async () => (await toolBox.tools()).filter((tool) => !toolBox.switches.isOff(tool)),
      runtime: { known: model.runtime, fresh: runtime.current },
      window: contextWindow(loaded.config),
    }),
    "sessions.refine": ({ session }) => learned.learned.refine(session),
    "processes.list": async ({ session }) => agent.running(session),
    "processes.end": ({ session, id }) => agent.endRunning(session, id),
    "tasks.list": async ({ session }) => tasks.list(session),
    "chat.command": ({ line, chat }, caller) =>
      dispatch(
        line,
        {
          ...chat,
          surface: caller.surface,
          now: clock.now(),
          owner: caller.role === "owner",
          busy: chat.session !== undefined && agent.isBusy(chat.session),
        },
        as(caller),
      ),
    "shell.run": ownCommand(joined),
  };
}

/** How many turns that have ended are remembered for whoever asks late. */
const mostEnded = 1000;

function turnEndings() {
  const known = new Map<InboxId, Promise<EndedEnvelope | undefined>>();
  const over: InboxId[] = [];
  return {
    async add({ inbox, ended }: Pick<Sent, "inbox" | "ended">): Promise<void> {
      // Sent twice, it ends with the turn that took it first.
      if (known.has(inbox)) return;
      known.set(inbox, ended);
      await ended;
      if (over.push(inbox) > mostEnded) known.delete(over.shift() ?? inbox);
    },
    async of(inbox: InboxId): Promise<EndedEnvelope | null> {
      const ended = known.get(inbox);
      if (ended !== undefined) return (await ended) ?? null;
      throw new Refusal("not_found", `No turn here took ${inbox}.`, "Its session has all that was said.");
    },
  };
}
