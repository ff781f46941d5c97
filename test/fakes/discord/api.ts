import type { Call } from "./faults.ts";
import type { Gateway } from "./gateway.ts";
import { attach, complaint, problem, rung, type Answer, type Posted } from "./posting.ts";
import type { Presses } from "./presses.ts";
import { eventOf, type ApiMessage, type World } from "./world.ts";

/** What the bot has done that is seen in no message. */
export type Trace = { readonly typing: string[]; readonly rung: string[] };

type Parts = {
  readonly world: World;
  readonly gateway: () => Gateway;
  readonly presses: Presses;
  readonly trace: Trace;
  readonly token: string;
  readonly origin: () => string;
};
type Api = (call: Call) => Answer;

const nonceMs = 5 * 60_000;

/** Discord's REST API, as far as a bot of ours uses it. */
export function makeApi(parts: Parts): Api {
  const { world, presses, trace, token } = parts;
  const recent = new Map<string, { readonly message: ApiMessage; readonly at: number }>();
  const routes: readonly (readonly [RegExp, (call: Call, ids: readonly string[]) => Answer])[] = [
    [/^GET \/gateway\/bot$/, () => ({ status: 200, body: gatewayOf(parts.origin()) })],
    [/^GET \/users\/@me$/, () => ({ status: 200, body: world.bot })],
    [/^GET \/applications\/@me$/, () => ({ status: 200, body: { id: world.bot.id, flags: 1 << 19 } })],
    [/^GET \/channels\/(\d+)$/, (_, [id = ""]) => found(world.channels.get(id), 10003, "Unknown Channel")],
    [/^GET \/channels\/(\d+)\/messages$/, (call, [id = ""]) => history(world, id, call.query)],
    [
      /^GET \/channels\/(\d+)\/messages\/(\d+)$/,
      (_, [channel = "", id = ""]) => found(fresh(parts, channel, id), 10008, "Unknown Message"),
    ],
    [/^POST \/channels\/(\d+)\/messages$/, (call, [id = ""]) => post(parts, recent, call, id)],
    [/^PATCH \/channels\/(\d+)\/messages\/(\d+)$/, (call, ids) => patch(parts, call, ids)],
    [/^DELETE \/channels\/(\d+)\/messages\/(\d+)$/, (_, ids) => remove(parts, ids)],
    [
      /^POST \/channels\/(\d+)\/typing$/,
      (_, [id = ""]) => {
        trace.typing.push(id);
        return { status: 204 };
      },
    ],
    [/^POST \/interactions\/(\d+)\/([^/]+)\/callback$/, (call, [id = ""]) => presses.answered(id, call.body)],
    [/^POST \/webhooks\/(\d+)\/([^/]+)$/, (call, [, key = ""]) => presses.followed(key, call.body)],
  ];
  return (call) => {
    const isOpen = /^\/(?:interactions|webhooks)\//.test(call.path);
    if (!isOpen && call.authorization !== `Bot ${token}`) return problem(401, 0, "401: Unauthorized");
    const closed = world.closed.get(/^\/channels\/(\d+)/.exec(call.path)?.[1] ?? "");
    if (closed !== undefined) return problem(closed.status, closed.code, closed.message);
    for (const [pattern, run] of routes) {
      const match = pattern.exec(`${call.method} ${call.path}`);
      if (match !== null) return run(call, match.slice(1));
    }
    return problem(404, 0, "404: Not Found");
  };
}

const gatewayOf = (origin: string): unknown => ({
  url: `${origin.replace("http", "ws")}/gateway`,
  shards: 1,
  session_start_limit: { total: 1000, remaining: 999, reset_after: 0, max_concurrency: 1 },
});

const found = (thing: unknown, code: number, message: string): Answer =>
  thing === undefined ? problem(404, code, message) : { status: 200, body: thing };

/** Newest first, as Discord does it; those after a message begin with the oldest of them. A nonce is not kept. */
function history(world: World, channel: string, query: URLSearchParams): Answer {
  if (!world.channels.has(channel)) return problem(404, 10003, "Unknown Channel");
  const limit = Number(query.get("limit") ?? "50");
  const after = query.get("after");
  const all = (world.messages.get(channel) ?? []).toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
  const some =
    after === null ? all.slice(-limit) : all.filter((one) => BigInt(one.id) > BigInt(after)).slice(0, limit);
  return { status: 200, body: some.toReversed().map((message) => ({ ...message, nonce: undefined })) };
}

/** With addresses of its files that work again. */
function fresh({ world }: Parts, channel: string, id: string): ApiMessage | undefined {
  const message = world.find(channel, id);
  for (const { url } of message?.attachments ?? []) {
    const file = world.files.get(new URL(url).pathname);
    if (file !== undefined) file.expiresAt = world.now() + 24 * 3_600_000;
  }
  return message;
}

function post(
  { world, gateway, trace, origin }: Parts,
  recent: Map<string, { readonly message: ApiMessage; readonly at: number }>,
  call: Call,
  channel: string,
): Answer {
  if (!world.channels.has(channel)) return problem(404, 10003, "Unknown Channel");
  const body = call.body as Posted;
  const wrong = complaint(body, call, true);
  if (wrong !== undefined) return wrong;
  const nonce = body.nonce === undefined ? undefined : String(body.nonce);
  const before = nonce === undefined || body.enforce_nonce !== true ? undefined : recent.get(nonce);
  if (before !== undefined && world.now() - before.at < nonceMs) {
    const { channel_id: where, id } = before.message;
    return found(world.find(where, id), 10008, "Unknown Message");
  }
  const answered = body.message_reference?.message_id;
  const isMissing = answered !== undefined && world.find(channel, answered) === undefined;
  if (isMissing && body.message_reference?.fail_if_not_exists !== false) {
    return problem(400, 50035, "Invalid Form Body: message_reference");
  }
  trace.rung.push(...rung(body));
  const message = world.message({
    channel_id: channel,
    author: world.bot,
    content: (body.content ?? "").trim(),
    components: body.components ?? [],
    attachments: attach(world, origin(), channel, call.files),
    flags: body.flags ?? 0,
    ...(nonce === undefined ? {} : { nonce }),
    ...(answered === undefined || isMissing
      ? {}
      : { type: 19, message_reference: { message_id: answered, channel_id: channel } }),
  });
  if (nonce !== undefined) recent.set(nonce, { message, at: world.now() });
  gateway().dispatch("MESSAGE_CREATE", eventOf(world, message));
  return { status: 200, body: message };
}

function patch(
  { world, gateway, trace, origin }: Parts,
  call: Call,
  [channel = "", id = ""]: readonly string[],
): Answer {
  const message = world.find(channel, id);
  if (message === undefined) return problem(404, 10008, "Unknown Message");
  if (message.author.id !== world.bot.id)
    return problem(403, 50005, "Cannot edit a message authored by another user");
  const body = call.body as Posted;
  const wrong = complaint(body, call, false);
  if (wrong !== undefined) return wrong;
  trace.rung.push(...rung(body));
  const changed = {
    ...message,
    content: (body.content ?? message.content).trim(),
    components: body.components ?? message.components,
    attachments: [...message.attachments, ...attach(world, origin(), channel, call.files)],
    edited_timestamp: new Date(world.now()).toISOString(),
  };
  world.replace(changed);
  gateway().dispatch("MESSAGE_UPDATE", eventOf(world, changed));
  return { status: 200, body: changed };
}

function remove({ world, gateway }: Parts, [channel = "", id = ""]: readonly string[]): Answer {
  if (!world.erase(channel, id)) return problem(404, 10008, "Unknown Message");
  gateway().dispatch("MESSAGE_DELETE", { id, channel_id: channel });
  return { status: 204 };
}
