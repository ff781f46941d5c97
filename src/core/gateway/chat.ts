import type { Json } from "../json.ts";

/** The chat apps through which Talaria is reached. Their names are surfaces, and keys of the settings. */
export const platforms = ["telegram", "slack", "discord"] as const;
export type Platform = (typeof platforms)[number];

export const isPlatform = (surface: string): surface is Platform =>
  platforms.some((platform) => platform === surface);

/** Where something is said. `account`: the bot. `thread`: a topic or thread of the chat, where the platform has them apart. */
export type Address = {
  readonly surface: Platform;
  readonly account: string;
  readonly chat: string;
  readonly thread?: string;
};

/** The chat of an address in one word, as inbox and outbox name it: `chat` or `chat/thread`. No platform has a slash in its ids. */
export const chatName = ({ chat, thread }: Pick<Address, "chat" | "thread">): string =>
  thread === undefined ? chat : `${chat}/${thread}`;

export function addressOf(name: {
  readonly surface: Platform;
  readonly account: string;
  readonly chat: string;
}): Address {
  const [chat = "", thread] = name.chat.split("/");
  return { surface: name.surface, account: name.account, chat, ...(thread === undefined ? {} : { thread }) };
}

/** Somebody on a platform, as the platform itself says it. */
export type ChatPerson = { readonly id: string; readonly name: string; readonly isBot: boolean };

/** A file that came with a message. `handle`: what the adapter needs to fetch it. */
export type ChatFile = {
  readonly handle: string;
  readonly kind: "image" | "voice" | "file";
  readonly name: string;
  readonly mediaType?: string;
  readonly bytes?: number;
};

/** A message that somebody has sent. Plain JSON: it is stored as it is before anything is done with it. */
export type ChatMessage = {
  readonly kind: "message";
  readonly address: Address;
  /** The platform's own name for it, unique within the chat. */
  readonly messageId: string;
  /** Sorts the messages of a chat as the platform does, compared as text of equal length (zero-padded number). */
  readonly order: string;
  readonly at: number;
  readonly from: ChatPerson;
  readonly room: "direct" | "group";
  /** The group's or channel's name. */
  readonly roomName?: string;
  /** Without the mention of the bot. */
  readonly text: string;
  /** The bot is named, or one of its messages is answered. In a direct chat it is always meant. */
  readonly isForBot: boolean;
  /** The message that it answers. */
  readonly replyTo?: string;
  /** What stands in that one, if the platform says it and it is not the bot's. */
  readonly quoted?: { readonly from: string; readonly text: string };
  readonly files: readonly ChatFile[];
  /** All that it is, in words such as `polls`, when nothing of it can be read. */
  readonly unreadable?: string;
  /** Messages with the same one were sent together (an album). */
  readonly album?: string;
};

/** Somebody has pressed a button. `press`: what the adapter needs to acknowledge it. */
export type ChatPress = {
  readonly kind: "press";
  readonly address: Address;
  readonly messageId: string;
  readonly press: string;
  readonly data: string;
  readonly from: ChatPerson;
  readonly room: "direct" | "group";
  readonly at: number;
};

/** Something else that the platform said. It is counted, and nothing is done about it. */
export type ChatOther = { readonly kind: "other"; readonly what: string };

export type ChatEvent = ChatMessage | ChatPress | ChatOther;

/** `data`: at most 64 bytes. */
export type Button = { readonly label: string; readonly data: string };

/** A file to be sent; `path`: a copy of ours. */
export type OutFile = {
  readonly path: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
};

/**
 * One message as its platform takes it, within its limits. `body`: the adapter's own form of the text, made by its `render`
 * and read by nobody else. `plain`: the same words, for traces.
 */
export type Part = {
  readonly body: Json;
  readonly plain: string;
  readonly buttons?: readonly (readonly Button[])[];
  readonly file?: OutFile;
};

/**
 * What became of a call that shows something. `held`: the platform wants no more in this chat for so long, and took nothing.
 * `notSent`: it surely did not arrive (no connection), and may be tried again. `refused`: the platform will never take it.
 * `unknown`: it may have arrived.
 */
export type SendResult =
  | { readonly sent: string }
  | { readonly heldMs: number }
  | { readonly notSent: string }
  | { readonly refused: string }
  | { readonly unknown: string };

/** How an adapter is. `receivedAt`: when the inbound side last had proof of life from the platform; sends do not count. */
export type AdapterHealth = {
  readonly state: "starting" | "connected" | "recovering" | "failed" | "stopped";
  readonly receivedAt?: number;
  /** When a person's event last came. */
  readonly eventAt?: number;
  readonly restarts: number;
  /** Why it is not connected, and what to do, for people. */
  readonly detail?: string;
};

/** Who the bot is on its platform. `account`: its own id, which addresses carry. */
export type BotIdentity = { readonly account: string; readonly name: string };

/**
 * A message to be sent. `nonce`: the same each time the same part is sent; at most 25 characters. `since`: when it was first tried, for
 * `find` to know how far back it has to look.
 */
export type Sending = {
  readonly part: Part;
  readonly nonce: string;
  readonly replyTo?: string;
  readonly since?: number;
};

/** What a platform posts to our address. `body` is read only when whoever sends it has proved who they are, where that can be told before. */
export type Posted = { header(name: string): string | undefined; body(): Promise<string> };

/**
 * One bot on one platform. What people say is handed to `take`, and acknowledged to the platform only when `take` has resolved;
 * if it rejects, the platform is to deliver it again, or the adapter hands it over again. Nothing here throws but `start`.
 */
export interface Adapter extends AsyncDisposable {
  readonly surface: Platform;
  /**
   * Connects, and says who the bot is; then goes on receiving, reconnecting and recovering by itself until it is disposed of. Rejects with a
   * Refusal when the token is wrong or the platform cannot be reached at all. `seen`: the last message of each chat that was stored,
   * by `chatName`, to fetch what was missed since, where the platform allows that.
   */
  start(take: (event: ChatEvent) => Promise<void>, seen: ReadonlyMap<string, string>): Promise<BotIdentity>;
  /** Markdown as parts within the platform's limits. Pure. */
  render(markdown: string): readonly Part[];
  /** A text of ours with buttons, as one part. Pure. What is too long is cut with a mark; the caller sends it whole as a file. */
  renderQuestion(
    markdown: string,
    buttons: Part["buttons"],
  ): { readonly part: Part; readonly isCut: boolean };
  send(to: Address, sending: Sending, signal: AbortSignal): Promise<SendResult>;
  /** Was this part posted, although nobody heard so? `undefined`: the platform cannot say. Missing: it never can. */
  find?(
    to: Address,
    sending: Sending,
    signal: AbortSignal,
  ): Promise<{ readonly sent: string } | { readonly absent: true } | undefined>;
  /** Changes a message of ours: without `buttons` in the part they go. */
  edit(to: Address, messageId: string, part: Part, signal: AbortSignal): Promise<SendResult>;
  remove(to: Address, messageId: string, signal: AbortSignal): Promise<SendResult>;
  /** Shows that somebody is at work, for some seconds. */
  typing(to: Address, signal: AbortSignal): Promise<void>;
  /** Ends the waiting of whoever pressed a button, with a short text that they alone see, if the platform can. */
  acknowledge(press: string, text: string, signal: AbortSignal): Promise<void>;
  /** The bytes of a file, `most` at the most. `failed`: what happened and why, in whole sentences that name the file. */
  fetchFile(
    file: ChatFile,
    most: number,
    signal: AbortSignal,
  ): Promise<Uint8Array | { readonly failed: string }>;
  /** Where the platform brings events over HTTP; resolves once they are stored. */
  receiveHttp?(posted: Posted): Promise<{ readonly status: number; readonly body: string }>;
  health(): AdapterHealth;
}
