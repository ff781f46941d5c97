import type { Attended, TurnChoices } from "./host.ts";
import type { InboxId, SessionId } from "./ids.ts";
import type { InputPart } from "./messages.ts";
import type { NewSession } from "./session.ts";

/** Where a person stands when they type a command: kept by the surface, and changed by what a command answers. */
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
  /** The surface goes on in this one (`null`: in a new one). */
  readonly session?: SessionId | null;
  /** With `session: null`: what the new one is called. */
  readonly title?: string;
  /** Join those of the talk. */
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

/** The talk as it goes on after a command. A new session keeps what was allowed and chosen for this talk. */
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

/** The talk once a message was taken in: what stays with the session need not be said again. */
export function withSession(chatState: ChatState, session: SessionId): ChatState {
  const { title: _title, ...rest } = chatState;
  const { runtime: _runtime, model: _model, effort: _effort, cwd: _cwd, ...choices } = chatState.choices;
  return { ...rest, session, choices };
}

/** Where the next message goes: into the session of the talk, or it begins `fresh` under the title that was planned. */
export const nextSession = ({ session, title }: ChatState, fresh: NewSession): SessionId | NewSession =>
  session ?? (title === undefined ? fresh : { ...fresh, title });
