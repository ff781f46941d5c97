import { type Corpus, threads, turn } from "./corpus.ts";
import type { Random } from "../random.ts";
import { type Tree, anyObject, anySpot, paramsOf } from "./tree.ts";

export type MutationContext = {
  readonly random: Random;
  readonly corpus: Corpus;
  /** Ids of our requests that wait for an answer. */
  readonly openIds: readonly number[];
  /** An id that codex has used for a request before. */
  usedId(): string | number;
};

type Mutation = (message: Tree, context: MutationContext) => void;

/** Each changes the message it is given; the result is JSON still. */
export const messageMutations = {
  dropField(message, { random }) {
    const object = anyObject(message, random);
    const keys = Object.keys(object);
    if (keys.length > 0) delete object[random.pick(keys)];
  },
  reorderFields(message, { random }) {
    const object = anyObject(message, random);
    for (const key of Object.keys(object)) {
      if (random.oneIn(2)) continue;
      const value = object[key];
      delete object[key];
      object[key] = value;
    }
  },
  changeType(message, { random }) {
    const { holder, key, value } = anySpot(message, random);
    holder[key] = random.pick([
      null,
      true,
      false,
      0,
      -1,
      1.5,
      "",
      "x",
      [],
      {},
      [value],
      { value },
      `${typeof value}`,
    ]);
  },
  extremeNumber(message, { random }) {
    const { holder, key } = anySpot(message, random);
    holder[key] = random.pick([-0, 1e308, -1e308, 5e-324, 2 ** 53, -(2 ** 53), 2 ** 31, 1e21]);
  },
  swapId(message, { random, corpus }) {
    const names = ["id", "itemId", "threadId", "turnId", "callId", "conversationId", "approvalId"];
    const params = paramsOf(message);
    const holder = random.pick([params, params["item"], params["turn"], params["thread"]]);
    const object = typeof holder === "object" && holder !== null ? (holder as Tree) : params;
    object[random.pick(names)] = random.pick([...threads, random.pick(corpus.ids)]);
  },
  wrongThread(message, { random, corpus }) {
    const unknown = `thread-${random.below(1000)}`;
    paramsOf(message)["threadId"] = random.pick([unknown, unknown, random.pick(corpus.ids), "", threads[2]]);
  },
  wrongTurn(message, { random, corpus }) {
    paramsOf(message)["turnId"] = random.pick([`turn-${random.below(1000)}`, random.pick(corpus.ids), ""]);
  },
  reusedRequestId(message, { random, corpus, usedId }) {
    message["method"] ??= random.pick(corpus.methods.filter(Boolean));
    message["id"] = usedId();
  },
  unknownReply(message, { random }) {
    const body = message["params"] ?? message["result"] ?? null;
    for (const key of Object.keys(message)) delete message[key];
    message["id"] = random.pick([0, -1, 1e6 + random.below(1e6), 0.5, "a", "", -(2 ** 31)]);
    message[random.oneIn(3) ? "error" : "result"] = body;
  },
  wrongIdType(message, { random, openIds }) {
    const id = openIds.length === 0 ? 1 : random.pick(openIds);
    const body = message["params"] ?? message["result"] ?? null;
    const broken = random.oneIn(3); // a request that has lost its method, not an answer
    for (const key of Object.keys(message)) delete message[key];
    if (broken) {
      Object.assign(
        message,
        { id, params: body },
        random.oneIn(2) ? { method: random.pick([null, 5, [], {}]) } : {},
      );
      return;
    }
    const near = [
      String(id),
      ` ${id}`,
      `0${id}`,
      `${id}.0`,
      `${id}\0`,
      [id],
      { id },
      true,
      null,
      -id,
      id + 0.5,
    ];
    message["id"] = random.pick(near);
    message[random.oneIn(3) ? "error" : "result"] = body;
  },
  hugeString(message, { random }) {
    const { holder, key } = anySpot(message, random);
    holder[key] = random.pick(["x", "é", "\u2028", '"', "\n"]).repeat(1_000 + random.below(40_000));
  },
  deepNesting(message, { random }) {
    const { holder, key } = anySpot(message, random);
    holder[key] = nested(random);
  },
  /** What a call was given is kept as it came, so depth goes furthest there. */
  deepCall(message, { random, corpus }) {
    const type = random.pick(["mcpToolCall", "dynamicToolCall"]);
    const item = {
      type,
      id: random.pick(corpus.ids),
      tool: "t",
      status: "completed",
      arguments: nested(random),
    };
    delete message["id"];
    message["method"] = random.pick(["item/started", "item/completed"]);
    message["params"] = { threadId: threads[0], turnId: turn, item };
  },
  unknownName(message, { random }) {
    const name = random.pick([
      "turn/hologram",
      "item/hologram/delta",
      "Delta",
      "",
      "x".repeat(300),
      "\u0000",
    ]);
    if (random.oneIn(2)) message["method"] = name;
    const { item } = paramsOf(message);
    if (typeof item === "object" && item !== null) (item as Tree)["type"] = name;
  },
  inheritedName(message, { random, corpus }) {
    const name = random.pick(["__proto__", "constructor", "toString", "hasOwnProperty", "then"]);
    const params = paramsOf(message);
    const place = random.below(4);
    if (place === 0) message["method"] = name;
    if (place === 1) params["threadId"] = name;
    if (place === 2) params["itemId"] = name;
    const value = random.pick<unknown>([1, "x", { id: random.pick(corpus.ids) }, { value: {} }]);
    // Plain assignment would set the prototype, which JSON cannot say.
    if (place === 3)
      Object.defineProperty(anyObject(message, random), name, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
  },
} as const satisfies Readonly<Record<string, Mutation>>;

function nested(random: Random): unknown {
  const list = random.oneIn(2);
  let deep: unknown = "bottom";
  for (let level = random.pick([50, 500, 6_000]); level > 0; level -= 1) deep = list ? [deep] : { in: deep };
  return deep;
}
