import type { ChatKey } from "./gateway/tables.ts";
import type { Attended, TurnChoices } from "./host.ts";
import type { InboxId, SessionId } from "./ids.ts";
import type { InputPart } from "./messages.ts";
import type { NewSession } from "./session.ts";

/** A person's chat as their surface keeps it between commands: its session and what was chosen for the next messages. */
export type ChatState = {
  /** Undefined until the first message: there are no empty sessions. */
  readonly session?: SessionId;
  /** Of the session that the next message begins. */
  readonly title?: string;
  /** Go with the next messages. Of an existing session, what stays with it is written at once instead. */
  readonly choices: TurnChoices;
  readonly attended: Attended;
};

export type CommandContext = ChatState & { readonly surface: string; readonly cwd: string };

export type CommandReply = {
  readonly text: string;
  /** What it says first is heard in that chat by itself; `rest`: all other words. */
  readonly heard?: { readonly in: ChatKey; readonly rest: string };
  /** The surface goes on in this one (`null`: in a new one). */
  readonly session?: SessionId | null;
  /** With `session: null`: what the new one is called. */
  readonly title?: string;
  /** Added to those of the chat. */
  readonly choices?: TurnChoices;
  readonly attended?: Attended;
  /** To be sent now, as if the person had typed it. */
  readonly send?: Sending;
  /** What there is to choose from. A surface that can show a list runs `command` with the value; others print `text`. */
  readonly choose?: Choosing;
  /** The person wants to leave. */
  readonly quit?: boolean;
};

/** `again`: the message that was set aside and is sent by it. */
export type Sending = {
  readonly input: readonly InputPart[];
  readonly whenBusy: "queue" | "steer";
  readonly again?: InboxId;
};

export type Choosing = {
  readonly title: string;
  /** With its slash, such as `/resume`. */
  readonly command: string;
  /** It is a question about `text`, which is to be read first. */
  readonly asks?: true;
  readonly options: readonly { readonly value: string; readonly label: string; readonly detail?: string }[];
};

/** The chat after a command. A new session keeps what was allowed and chosen in this chat. */
export function chatStateAfter(
  chatState: ChatState,
  { session, title, choices, attended }: CommandReply,
): ChatState {
  const { session: before, title: planned, ...rest } = chatState;
  const next = session === undefined ? before : (session ?? undefined);
  const called = session === undefined ? planned : title;
  return {
    ...rest,
    ...(next === undefined ? {} : { session: next }),
    ...(called === undefined ? {} : { title: called }),
    choices: { ...chatState.choices, ...choices },
    attended: attended ?? chatState.attended,
  };
}

/** The chat once a message was admitted: what the session itself remembers is dropped here. */
export function withSession(chatState: ChatState, session: SessionId): ChatState {
  const { title: _title, ...rest } = chatState;
  const { runtime: _runtime, model: _model, effort: _effort, cwd: _cwd, ...choices } = chatState.choices;
  return { ...rest, session, choices };
}

/** Where the next message goes: into the chat's session, or it begins `fresh` under the planned title. */
export const nextSession = ({ session, title }: ChatState, fresh: NewSession): SessionId | NewSession =>
  session ?? (title === undefined ? fresh : { ...fresh, title });
