import {
  type Adapter,
  type AdapterHealth,
  type Address,
  type ChatEvent,
  type ChatMessage,
  type Part,
  type Platform,
  type SendResult,
  chatName,
} from "../../src/core/gateway/chat.ts";

/** A message of the bot, as its chat shows it. */
export type ShownMessage = {
  readonly id: string;
  readonly text: string;
  readonly buttons: readonly { readonly label: string; readonly data: string }[];
  readonly file?: string;
  readonly replyTo?: string;
  /** Each text that it had before. */
  readonly before: readonly string[];
};

type Saying = Partial<Omit<ChatMessage, "kind" | "address" | "from">> & {
  readonly chat?: string;
  readonly thread?: string;
  readonly from?: string;
  readonly name?: string;
  readonly isBot?: boolean;
};

type Call = "send" | "edit" | "remove" | "typing";
/** Happens in place of a call; `undefined`: it goes as it would. */
type Fault = (
  call: Call,
  to: Address,
  part: Part | undefined,
) => SendResult | "hang" | "lost reply" | undefined;

/**
 * A chat app in memory, with the adapter's contract and nothing of a platform's own. It outlives the bots that are connected to it, and a
 * test can say what goes wrong.
 */
export function chatApp(surface: Platform = "telegram") {
  const account = "bot1";
  const chats = new Map<string, ShownMessage[]>();
  const waiters = new Set<() => void>();
  const acknowledged: { press: string; text: string }[] = [];
  const undelivered: ChatEvent[] = [];
  let take: ((event: ChatEvent) => Promise<void>) | undefined;
  let [count, typed] = [100, 0];
  let fault: Fault | undefined;
  let health: AdapterHealth = { state: "connected", restarts: 0, receivedAt: 0 };
  const changed = (): void => {
    for (const wake of waiters) wake();
  };
  const inChat = (name: string): ShownMessage[] => {
    const known = chats.get(name) ?? [];
    chats.set(name, known);
    return known;
  };
  const address = (chat: string, thread?: string): Address => ({
    surface,
    account,
    chat,
    ...(thread === undefined ? {} : { thread }),
  });
  const faulty = async (
    call: Call,
    to: Address,
    part: Part | undefined,
    act: () => SendResult,
  ): Promise<SendResult> => {
    const what = fault?.(call, to, part);
    if (what === "hang") return new Promise(() => {});
    if (what === "lost reply") {
      act();
      changed();
      return { unknown: "the connection broke" };
    }
    const result = what ?? act();
    changed();
    return result;
  };
  const makeAdapter = (): Adapter => ({
    surface,
    async start(given) {
      take = given;
      for (const event of undelivered.splice(0)) void given(event).catch(() => undelivered.push(event));
      return { account, name: "talaria_bot" };
    },
    render: (markdown) =>
      [...markdown.matchAll(/[\s\S]{1,400}/g)].map(([text]) => ({ body: text, plain: text })),
    renderQuestion: (markdown, buttons) => {
      const text = markdown.slice(0, 400) || "…";
      return { part: { body: text, plain: text, ...(buttons && { buttons }) }, isCut: markdown.length > 400 };
    },
    send: (to, { part, replyTo }) =>
      faulty("send", to, part, () => {
        const id = String((count += 1));
        const buttons = (part.buttons ?? []).flat();
        const extra = {
          ...(part.file && { file: part.file.path }),
          ...(replyTo === undefined ? {} : { replyTo }),
        };
        inChat(chatName(to)).push({ id, text: part.plain, buttons, before: [], ...extra });
        return { sent: id };
      }),
    edit: (to, id, part) =>
      faulty("edit", to, part, () => {
        const all = inChat(chatName(to));
        const index = all.findIndex((message) => message.id === id);
        const old = all[index];
        if (old === undefined) return { refused: "no such message" };
        const buttons = (part.buttons ?? []).flat();
        all[index] = { ...old, text: part.plain, buttons, before: [...old.before, old.text] };
        return { sent: id };
      }),
    remove: (to, id) =>
      faulty("remove", to, undefined, () => {
        const all = inChat(chatName(to));
        all.splice(0, all.length, ...all.filter((message) => message.id !== id));
        return { sent: id };
      }),
    typing: async (to) => {
      typed += 1;
      await faulty("typing", to, undefined, () => ({ sent: "" }));
    },
    acknowledge: async (press, text) => {
      acknowledged.push({ press, text });
      changed();
    },
    fetchFile: async ({ handle, name }) =>
      handle === "lost"
        ? { failed: `The file ${name} could not be fetched.` }
        : new TextEncoder().encode(handle),
    health: () => health,
    async [Symbol.asyncDispose]() {
      take = undefined;
    },
  });
  const deliver = async (event: ChatEvent): Promise<void> => {
    if (take === undefined) return void undelivered.push(event);
    await take(event);
  };
  let said = 0;
  const message = (saying: Saying): ChatMessage => {
    const { chat = "c1", thread, from = "1", name = `Person ${from}`, isBot = false, ...also } = saying;
    const messageId = also.messageId ?? String((said += 1));
    return {
      kind: "message",
      address: address(chat, thread),
      messageId,
      order: messageId.padStart(12, "0"),
      at: said,
      from: { id: from, name, isBot },
      room: "direct",
      text: "",
      isForBot: true,
      files: [],
      ...also,
    };
  };
  /** Resolves with what the chat shows as soon as it is as wanted. */
  const shows = async (
    chat: string,
    wanted: (messages: readonly ShownMessage[]) => boolean,
  ): Promise<readonly ShownMessage[]> => {
    while (!wanted(inChat(chat)))
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          waiters.delete(wake);
          resolve();
        };
        waiters.add(wake);
      });
    return [...inChat(chat)];
  };
  return {
    surface,
    account,
    bot: { surface, token: `token of ${surface}`, makeAdapter },
    message,
    deliver,
    say: (text: string, also: Saying = {}) => deliver(message({ ...also, text })),
    press: (
      data: string,
      also: {
        readonly from?: string;
        readonly chat?: string;
        readonly messageId?: string;
        readonly press?: string;
        readonly thread?: string;
        readonly room?: ChatMessage["room"];
        readonly isBot?: boolean;
      } = {},
    ) => {
      const { from = "1", chat = "c1", messageId = "0", press = "p", thread, isBot = false } = also;
      return deliver({
        kind: "press",
        address: address(chat, thread),
        messageId,
        press,
        data,
        from: { id: from, name: `Person ${from}`, isBot },
        room: also.room ?? "direct",
        at: 0,
      });
    },
    shows,
    shown: (chat = "c1"): readonly ShownMessage[] => [...inChat(chat)],
    texts: (chat = "c1"): readonly string[] => inChat(chat).map(({ text }) => text),
    acknowledged,
    acknowledges: async (wanted: (all: readonly { press: string; text: string }[]) => boolean) => {
      while (!wanted(acknowledged)) await new Promise<void>((resolve) => waiters.add(resolve));
    },
    typed: () => typed,
    goesWrong: (next: Fault) => void (fault = next),
    healthIs: (next: AdapterHealth) => void (health = next),
    isConnected: () => take !== undefined,
  };
}

export type ChatApp = ReturnType<typeof chatApp>;
