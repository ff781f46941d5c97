import type { Adapter, Address, BotIdentity, SendResult } from "../../../core/gateway/chat.ts";
import type { Clock } from "../../../lib/clock.ts";
import { apiAddresses } from "./api-addresses.ts";
import { type Calls, makeCalls } from "./calls.ts";
import { fetchedFile } from "./files.ts";
import { makeSentTrace } from "./found-message.ts";
import { identify } from "./identity.ts";
import { receive, type Receiving } from "./receiving.ts";
import { pressHandle } from "./parse.ts";
import { whisper } from "./presses.ts";
import { render, renderQuestion } from "./render.ts";
import { editPart, removeMessage, sendPart } from "./sends.ts";
import { isSnowflake } from "./snowflake.ts";

export type DiscordDeps = {
  readonly token: string;
  /** Another server's address, in place of https://discord.com/api. */
  readonly api?: string;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

/** A bot on Discord. Its client connects to the gateway; everything else goes by REST, and works whatever the client is doing. */
export function discordAdapter(given: DiscordDeps): Adapter {
  const { clock, log } = given;
  const token = given.token.trim().replace(/^Bot\s+/i, "");
  const [first, ...others] = apiAddresses(given.api);
  let api = first;
  const over = new AbortController();
  let made = makeCalls({ token, api, clock });
  const calls: Calls = (call, signal) => made(call, signal);
  const elsewhere = (): boolean => {
    const next = others.shift();
    if (next === undefined) return false;
    api = next;
    made = makeCalls({ token, api, clock });
    return true;
  };
  let identity: BotIdentity | undefined;
  let receiving: Receiving | undefined;
  const account = (): string => identity?.account ?? "";
  const trace = makeSentTrace({ calls, clock, account });

  return {
    surface: "discord",
    async start(take, seen) {
      identity = await identify(calls, over.signal, elsewhere);
      receiving = receive({ token, api, clock, log, calls, trace, account, take, seen, signal: over.signal });
      await receiving.open();
      return identity;
    },
    render,
    renderQuestion,
    async send(to, sending, signal) {
      trace.tried(sending.nonce);
      const result = await within(to, () => sendPart(calls, to, sending, signal));
      if ("sent" in result) receiving?.know(to.chat, result.sent);
      return result;
    },
    find: (to, sending, signal) => trace.find(to, sending, signal),
    edit: (to, messageId, part, signal) => within(to, () => editPart(calls, to, messageId, part, signal)),
    remove: (to, messageId, signal) => within(to, () => removeMessage(calls, to, messageId, signal)),
    async typing(to, signal) {
      await calls({ method: "POST", route: `/channels/${to.chat}/typing`, limitMs: 5_000 }, signal);
    },
    async acknowledge(press, text, signal) {
      if (text.trim() !== "") await whisper(calls, pressHandle(press), text, signal);
    },
    fetchFile: (file, most, signal) => fetchedFile({ calls, clock, api }, file, most, signal),
    health: () => receiving?.health() ?? { state: over.signal.aborted ? "stopped" : "starting", restarts: 0 },
    async [Symbol.asyncDispose]() {
      over.abort(new Error("the adapter is closed"));
      receiving?.close();
    },
  };
}

/** Ids become parts of addresses. */
async function within(to: Address, call: () => Promise<SendResult>): Promise<SendResult> {
  if (!isSnowflake(to.chat)) return { refused: `${to.chat} is not a channel of Discord's.` };
  return call();
}
