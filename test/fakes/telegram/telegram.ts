import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import { onLoopback } from "../../loopback.ts";
import { type Fault, type Faults, newFaults, type PlannedFaults } from "./faults.ts";
import { ApiRefusal } from "./limits.ts";
import { type Args, methods } from "./methods.ts";
import { type Form, parsedForm } from "./multipart.ts";
import { newPolls, type Polls } from "./polls.ts";
import { newSaying, type Said, type SayOptions } from "./saying.ts";
import { newWebhook, type Webhook } from "./webhook.ts";
import {
  type Deed,
  type FakeChat,
  type FakePerson,
  newWorld,
  type Shown,
  shownOf,
  type Update,
  type World,
} from "./world.ts";

export { direct, forum, group } from "./world.ts";
export type { Deed, FakeChat, FakePerson, SentFile, Shown } from "./world.ts";
export type { Fault, Faults } from "./faults.ts";

export type ApiCall = { readonly method: string; readonly args: Args };

/** The Bot API on loopback, with faults on demand. */
export type FakeTelegram = AsyncDisposable & {
  /** For the setting `api`. */
  readonly url: string;
  readonly token: string;
  readonly bot: { readonly id: number; readonly username: string };
  /** Somebody writes; a chat is known from when somebody has written in it, or by `open`. */
  say(chat: FakeChat, from: FakePerson, text: string, options?: SayOptions): Said;
  open(chat: FakeChat): void;
  /** Somebody presses a button; gives the name of the press. */
  press(chat: FakeChat | number, from: FakePerson, messageId: number, data: string): string;
  /** What they were told; `undefined`: nothing yet, and their button still waits. */
  answered(press: string): string | undefined;
  /** Any update, as the platform says it. */
  push(fields: object): Update;
  /** Delivers it once more, whether it was confirmed or not. */
  again(update: Update): void;
  /** The bot's messages that are there now, oldest first. */
  shown(chat: FakeChat | number): readonly Shown[];
  deeds(chat: FakeChat | number): readonly Deed[];
  /** The bot may write there no more. */
  block(chat: FakeChat | number, why?: string): void;
  /** A group becomes a supergroup with another id. */
  move(chat: FakeChat | number, to: FakeChat): void;
  readonly calls: readonly ApiCall[];
  /** Updates that the bot has not confirmed. */
  unconfirmed(): readonly Update[];
  /** A long poll is open, and waits. */
  isPolled(): boolean;
  openCalls(): number;
  readonly faults: Faults;
  readonly webhook: Webhook;
  /** Resolves when it is so; looked at whenever something happens here. */
  until(isSo: () => boolean): Promise<void>;
  /** All updates are confirmed, no call is open but a poll that waits. */
  settled(): Promise<void>;
};

/** `clock`: for how long a poll waits, and what time it is there. */
export async function startTelegram({
  clock = systemClock,
}: { readonly clock?: Clock } = {}): Promise<FakeTelegram> {
  const world = newWorld({ id: 4242, username: "talaria_bot" });
  const token = `${world.bot.id}:AAfake-token_of-a-bot`;
  const news = newNews();
  const changed = (): void => {
    polls.wake();
    news.tell();
  };
  const faults = newFaults(changed, () => server.closeAllConnections());
  const webhook = newWebhook(world);
  const polls: Polls = newPolls(world, faults, clock, () => webhook.info.url !== "", news.tell);
  const saying = newSaying(world, () => clock.now(), changed);
  const calls: ApiCall[] = [];
  const open = { calls: 0 };

  const server: Server = createServer((request, response) => {
    open.calls += 1;
    response.once("close", () => {
      open.calls -= 1;
      news.tell();
    });
    void serve({ world, token, faults, polls, webhook, clock, calls, tell: news.tell }, request, response);
  });
  server.keepAliveTimeout = 0;
  server.on("connection", (socket) => {
    if (faults.now.unreachable) socket.resetAndDestroy();
  });
  const loopback = await onLoopback(server);
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    token,
    bot: world.bot,
    ...saying,
    open: (chat) => void world.room(chat),
    answered: (press) => world.presses.get(press)?.answered,
    again: (update) => polls.again(update),
    shown: (chat) => shownOf(world.room(chat)),
    deeds: (chat) => world.room(chat).deeds,
    block: (chat, why = "Forbidden: bot was blocked by the user") => void (world.room(chat).blocked = why),
    move(chat, to) {
      world.room(to);
      world.room(chat).movedTo = to.id;
    },
    calls,
    unconfirmed: () => world.updates,
    isPolled: () => polls.isOpen(),
    openCalls: () => open.calls,
    faults,
    webhook,
    until: news.until,
    settled: () => news.until(() => world.updates.length === 0 && open.calls === (polls.isOpen() ? 1 : 0)),
    [Symbol.asyncDispose]: () => loopback[Symbol.asyncDispose](),
  };
}

type Serving = {
  readonly world: World;
  readonly token: string;
  readonly faults: PlannedFaults;
  readonly polls: Polls;
  readonly webhook: Webhook;
  readonly clock: Clock;
  readonly calls: ApiCall[];
  readonly tell: () => void;
};

async function serve(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const body = await bodyOf(request);
  const [, isFile, token, method = ""] = /^\/(file\/)?bot([^/]+)\/(.*)$/.exec(request.url ?? "") ?? [];
  if (body === undefined) return;
  if (token !== serving.token)
    return answer(response, 401, { ok: false, error_code: 401, description: "Unauthorized" });
  if (isFile !== undefined) return download(serving, method, response);
  const { fields, files } = body;
  serving.calls.push({ method, args: fields });
  const fault = serving.faults.take(method);
  serving.tell();
  if (fault !== undefined && !isDone(fault)) return fail(fault, response);
  const result = await run(serving, method, fields, files, gone.signal);
  serving.tell();
  if (fault !== undefined) return fail(fault, response, result);
  answer(response, result.ok ? 200 : result.error_code, result);
}

type Result =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error_code: number; readonly description: string };

async function run(
  serving: Serving,
  method: string,
  args: Args,
  files: Form["files"],
  gone: AbortSignal,
): Promise<Result> {
  const { world, polls, webhook, clock } = serving;
  try {
    if (method === "getUpdates") return { ok: true, result: await polls.poll(args, gone) };
    const own = webhook.methods[method];
    if (own !== undefined) return { ok: true, result: own(args) };
    const known = methods[method];
    if (known === undefined) throw new ApiRefusal(404, "Not Found: method not found");
    return { ok: true, result: known(world, args, files, clock.now()) };
  } catch (error) {
    if (error instanceof ApiRefusal) {
      return { ok: false, error_code: error.code, description: error.message, ...error.more };
    }
    throw error;
  }
}

const isDone = (fault: Fault): boolean =>
  fault.kind === "acceptedThenDropped" ||
  fault.kind === "garbled" ||
  ("done" in fault && fault.done === true);

function fail(fault: Fault, response: ServerResponse, result?: Result): void {
  switch (fault.kind) {
    case "hang":
      return;
    case "dropped":
    case "acceptedThenDropped":
      response.socket?.resetAndDestroy();
      return;
    case "garbled":
      return answer(response, 200, JSON.stringify(result).slice(0, 20));
    case "status":
      return answer(response, fault.status, "<html><body>Bad gateway</body></html>");
    case "rateLimited": {
      const { seconds = 3 } = fault;
      const description = `Too Many Requests: retry after ${seconds}`;
      return answer(response, 429, {
        ok: false,
        error_code: 429,
        description,
        parameters: { retry_after: seconds },
      });
    }
    case "error":
      return answer(response, fault.code, {
        ok: false,
        error_code: fault.code,
        description: fault.description,
        ...fault.more,
      });
  }
}

function answer(response: ServerResponse, status: number, body: object | string): void {
  if (response.destroyed) return;
  response.writeHead(status, { "content-type": typeof body === "string" ? "text/html" : "application/json" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

function download({ world, faults, tell }: Serving, path: string, response: ServerResponse): void {
  const bytes = world.files.get(path.replace(/^documents\//, ""));
  const fault = faults.take("download");
  tell();
  if (fault !== undefined) return fail(fault, response);
  if (bytes === undefined)
    return answer(response, 404, { ok: false, error_code: 404, description: "Not Found" });
  response.writeHead(200, { "content-type": "application/octet-stream", "content-length": bytes.length });
  response.end(bytes);
}

/** `undefined`: the client has gone before its end. */
async function bodyOf(request: IncomingMessage): Promise<Form | undefined> {
  try {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
    const type = request.headers["content-type"] ?? "";
    if (type.startsWith("multipart/form-data")) return parsedForm(body, type);
    return { fields: body.length === 0 ? {} : (JSON.parse(body.toString()) as Args), files: new Map() };
  } catch {
    return undefined;
  }
}

function newNews() {
  const waiting = new Set<() => void>();
  return {
    tell: (): void => {
      for (const look of waiting) look();
    },
    until: (isSo: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!isSo()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}
