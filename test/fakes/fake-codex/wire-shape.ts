import { type Frame, pick, type WireLine } from "./driver.ts";

/** What a conversation looks like without its ids, times and words: a line per frame of the server. */
export type WireShape = {
  readonly lines: readonly string[];
  /** What the thread said of itself. Apart, because codex tells it from another task: the order with the rest varies. */
  readonly statuses: readonly string[];
  /** The fields that each kind of frame had. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>;
};

/** Comes or not as it pleases, or says nothing about the turn. */
const chatter = new Set([
  "account/rateLimits/updated",
  "configWarning",
  "deprecationNotice",
  "item/commandExecution/outputDelta",
  "remoteControl/status/changed",
  "thread/goal/cleared",
  "thread/readState/changed",
  "thread/settings/updated",
  "warning",
]);

/** `wire` must hold the requests, so that answers can be told apart. */
export function wireShape(wire: readonly WireLine[], isAbout: (frame: Frame) => boolean): WireShape {
  const asked = new Map<unknown, string>();
  const lines: string[] = [];
  const statuses: string[] = [];
  const fields = new Map<string, Set<string>>();
  for (const { dir, msg } of wire) {
    if (dir === "c>s" && typeof msg["method"] === "string") asked.set(msg["id"], msg["method"]);
    if (dir === "c>s" || chatter.has(String(msg["method"])) || !isAbout(msg)) continue;
    const line = describe(msg, asked);
    const isStatus = msg["method"] === "thread/status/changed";
    if (isStatus) statuses.push(line);
    if (!isStatus && (lines.at(-1) !== line || !line.endsWith("…"))) lines.push(line);
    for (const [name, keys] of fieldsOf(msg, asked))
      fields.set(name, (fields.get(name) ?? new Set()).add(keys));
  }
  return { lines, statuses, fields };
}

function describe(msg: Frame, asked: ReadonlyMap<unknown, string>): string {
  const method = msg["method"];
  if (method === undefined) return `answer ${asked.get(msg["id"])} ${outcome(msg)}${listedItems(msg)}`;
  if (msg["id"] !== undefined) return `asks ${String(method)}`;
  if (/delta$/i.test(String(method))) return `${String(method)} …`; // many or few, as the network likes
  const item = pick(msg, "params", "item");
  if (item !== undefined)
    return [method, pick(item, "type"), pick(item, "status"), pick(item, "phase"), exit(item)]
      .filter(Boolean)
      .join(" ");
  if (method === "turn/completed") return `${method} ${ending(pick(msg, "params", "turn"))}`;
  if (method === "thread/status/changed") return `${method} ${JSON.stringify(pick(msg, "params", "status"))}`;
  if (method === "error")
    return `${method} ${JSON.stringify([pick(msg, "params", "willRetry"), pick(msg, "params", "error", "codexErrorInfo")])}`;
  return String(method);
}

function outcome(msg: Frame): string {
  const status = pick(msg, "result", "thread", "status");
  if (msg["error"] === undefined) return status === undefined ? "ok" : `ok ${JSON.stringify(status)}`;
  const words = String(pick(msg, "error", "message")).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID");
  return `refused ${pick(msg, "error", "code")} ${words.replace(/expected one of.*/, "")}`;
}

/** The items of turns that are listed, and whose words they are. */
function listedItems(msg: Frame): string {
  const listed = pick(msg, "result", "data");
  const turns = (Array.isArray(listed) ? listed : []).flatMap((turn) => pick(turn, "items") ?? []);
  return turns.map((item) => ` ${String(pick(item, "type"))}`).join("");
}

const exit = (item: unknown): string | undefined => {
  const code = pick(item, "exitCode");
  // A command that codex killed: by luck it has heard of its end already, or has not.
  if (code === -1 || code === 137) return "killed";
  return code === undefined || code === null ? undefined : `exit ${code}`;
};

const ending = (turn: unknown): string =>
  JSON.stringify([
    pick(turn, "status"),
    pick(turn, "itemsView"),
    (pick(turn, "items") as readonly Frame[]).map(({ type }) => type),
    pick(turn, "error", "codexErrorInfo") ?? null,
  ]);

/** Which keys the interesting objects in a frame have. */
function fieldsOf(msg: Frame, asked: ReadonlyMap<unknown, string>): readonly (readonly [string, string])[] {
  const name = String(msg["method"] ?? `answer ${asked.get(msg["id"])}`);
  const places: readonly (readonly [string, unknown])[] = [
    [name, msg],
    [`${name} params`, msg["params"]],
    [`${name} result`, msg["result"]],
    ["thread", pick(msg, "params", "thread") ?? pick(msg, "result", "thread")],
    ["turn", pick(msg, "params", "turn") ?? pick(msg, "result", "turn")],
    [`item ${String(pick(msg, "params", "item", "type"))}`, pick(msg, "params", "item")],
    ["usage", pick(msg, "params", "tokenUsage", "last")],
    ["list", pick(msg, "result", "data", 0)],
    ["error", pick(msg, "params", "error")],
  ];
  return places.flatMap(([place, value]) =>
    typeof value === "object" && value !== null
      ? [[place, Object.keys(value).toSorted().join(" ")] as const]
      : [],
  );
}
