import type { OutcomeId, SessionId } from "../ids.ts";
import type { Audience } from "../principal.ts";
import type { Target } from "../work/work.ts";
import type { AdapterHealth, Platform, Posted } from "./chat.ts";
import type {
  ChatTable,
  NewOutbox,
  OutboxTable,
  PeopleTable,
  ReceivedTable,
  StoredChat,
  StoredOutbox,
  StoredPairing,
  StoredPerson,
} from "./tables.ts";

/** How a bot is reached. `api`: another base address than the platform's own. */
export type TelegramSettings = {
  readonly tokenEnv: string;
  readonly api?: string;
  readonly webhook?: { readonly url: string; readonly secretEnv: string };
};
export type SlackSettings = {
  readonly botTokenEnv: string;
  readonly appTokenEnv?: string;
  readonly signingSecretEnv?: string;
  readonly api?: string;
};
export type DiscordSettings = { readonly tokenEnv: string; readonly api?: string };

export type GatewaySettings = {
  readonly telegram?: TelegramSettings;
  readonly slack?: SlackSettings;
  readonly discord?: DiscordSettings;
  /** What a message does while a turn of its chat runs. */
  readonly busy: "queue" | "steer" | "interrupt";
  /** In groups everybody has a session of their own, or all share one. Threads and topics are shared. */
  readonly groups: "person" | "shared";
  /** In groups only messages that name the bot are for it. */
  readonly mention: boolean;
  /** The answer appears as it is written, by edits. */
  readonly stream: boolean;
  /** Where the owner is told what needs them, as `telegram:ID`; unless set, where they last wrote directly. */
  readonly notify?: string;
  /** How much they are told: needs (what waits for them), results (also what is done or failed), all (also what began). */
  readonly notices: "needs" | "results" | "all";
  /** Local times between which nothing is told by itself, as `22:00-07:00`. Answers to what somebody has just asked are not held. */
  readonly quiet?: { readonly from: number; readonly to: number };
  /** Of the home, for quiet hours. */
  readonly zone: string;
};

/** What the gateway needs of a host besides its clients. */
export type GatewayBehind = {
  readonly settings: GatewaySettings;
  readonly received: ReceivedTable;
  readonly chats: ChatTable;
  readonly people: PeopleTable;
  readonly outbox: OutboxTable;
  /** A variable of the environment or of .env. */
  secret(name: string): string | undefined;
  /** Only one process answers as a bot. `busy`: who does. `token`: hashed for the name of the lease. */
  takeBot(token: string): Promise<BotDuty | { readonly busy: string }>;
  /** Something was put into the outbox in this process. Returns how to stop listening. */
  onOutbox(listener: () => void): () => void;
  /** The owner is told this once, wherever they are next; `subject` names it. */
  alert(subject: string, text: string): Promise<void>;
  /** Speech as text; missing: nothing is set up for that. */
  transcribe?(audio: Uint8Array, mediaType: string, signal: AbortSignal): Promise<string>;
  /** What is kept for the gateway alone, in the home, where no command of a turn sees it. Whoever writes there makes it. */
  readonly folder: string;
  /** Where turns of chats work. */
  readonly workFolder: string;
  /** Where files that people send into this session are put: in there, and hidden from turns of others. */
  receivedFolder(session: SessionId, audience: Audience): string;
  readonly news: GatewayNews;
  /** The gateway is open from now on, and can be asked. Returns how to say that it is no more. */
  report(live: LiveGateway): () => void;
  live(): LiveGateway | undefined;
};

/** What an open gateway lets others ask of it. `account` and `name`: what the platform itself said the bot is. */
export type LiveGateway = {
  bots(): readonly LiveBot[];
  /** What a platform has posted; `undefined`: none that does so is open. */
  receive(
    surface: string,
    posted: Posted,
  ): Promise<{ readonly status: number; readonly body: string }> | undefined;
};

/** What became of work, and waits to be told. Whoever is first has told it: a chat, or a terminal if its target is `local`. */
export type GatewayNews = {
  /** Oldest first. What came back from a chat is told at a terminal, and is no part of it. */
  untold(): Promise<readonly ChatNews[]>;
  /**
   * Puts it into the outbox, and counts it as delivered with that row as its receipt, in one transaction. If the row dies it waits again, for a
   * terminal. `undefined`: it, or a part of it, was told meanwhile, and nothing was written.
   */
  tell(news: Pick<ChatNews, "outcomes">, row: NewOutbox): Promise<StoredOutbox | undefined>;
  /** In this process something may have come to tell. Returns how to stop listening. */
  onNews(listener: () => void): () => void;
};

export type ChatNews = {
  /** All that it tells of, such as several times that were missed. */
  readonly outcomes: readonly OutcomeId[];
  /** `local` and `notify`: the owner's chat. */
  readonly target: Target;
  /** needs: it waits for the owner · results: how something ended */
  readonly level: "needs" | "results";
  /** Markdown. */
  readonly text: string;
  /** That it is about: a reply to the message may be meant for it. */
  readonly card?: string;
  readonly session?: SessionId;
};

/** How the subject of an alert about the gateway itself begins. */
export const gatewayAlert = "gateway ";

export type BotDuty = AsyncDisposable & {
  readonly lease: { readonly duty: `bot:${string}`; readonly epoch: number };
  readonly lost: AbortSignal;
};

/** One bot, as `talaria gateway status` says it. */
export type GatewayBot = AdapterHealth & {
  readonly surface: Platform;
  readonly account?: string;
  readonly name?: string;
  readonly waiting: number;
};

/** What a bot that is open, or is being opened, says of itself. */
export type LiveBot = Omit<GatewayBot, "waiting">;

/** What there is to know about the gateway. `running`: a host that stays is there, and has it open. */
export type GatewayStatus = {
  readonly running: boolean;
  readonly bots: readonly GatewayBot[];
  readonly people: number;
  readonly pairings: readonly StoredPairing[];
  /** That may or may not have arrived, and that will not be sent. */
  readonly troubles: readonly StoredOutbox[];
  readonly chats: readonly StoredChat[];
};

/** `receipt`: the platform's own name of the message. `next` is set whenever `ok` is not. */
export type TestedBot = {
  readonly surface: Platform;
  readonly ok: boolean;
  readonly detail: string;
  readonly receipt?: string;
  readonly next?: string;
};

export type ListedPeople = {
  readonly people: readonly StoredPerson[];
  readonly pairings: readonly StoredPairing[];
};
