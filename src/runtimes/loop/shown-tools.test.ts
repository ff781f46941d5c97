import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { asId } from "../../core/ids.ts";
import type { Message } from "../../core/messages.ts";
import type { ConverseEvent } from "../../models/converse.ts";
import { toolBox } from "../../tools/registry.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Turn } from "../runtime.ts";
import { answers, loopWorld, type Played } from "./loop-world.suite.ts";
import { ownersTurn } from "../../../test/owners-turn.ts";

const tool = (name: string, deferred: boolean): Tool => ({
  name,
  toolset: "test",
  description: `It is for ${name}.`,
  schema: z.object({}),
  deferred,
  effect: "none",
  timeoutMs: 1000,
  maxOutputChars: 1000,
  run: async () => ({ ok: true, output: `${name} ran` }),
});

const tools = toolBox(
  [tool("plane", true), tool("read", false), tool("boat", true), tool("train", true), tool("write", false)],
  {
    session: asId<"ses">("ses_1"),
    turn: asId<"trn">("trn_1"),
    ...ownersTurn,
    cwd: "/",
    clock: fakeClock(),
    ask: async () => ({ choice: "deny", why: "not_asked" }),
    inquire: async () => undefined,
  },
);

const callOf = (name: string, args: object = {}): readonly ConverseEvent[] => [
  { type: "item", item: { kind: "call", item: 0, callId: "c", name, arguments: JSON.stringify(args) } },
  { type: "completed", skipped: 0 },
];
const find = (query: string): readonly ConverseEvent[] => callOf("tool_search", { query });

const play = (replies: readonly (readonly ConverseEvent[])[], turn: Partial<Turn> = {}): Promise<Played> =>
  loopWorld({ model: (_request, at) => replies[at] ?? answers("done"), ports: { tools }, turn }).play();

const given = ({ requests }: Played): readonly (readonly string[])[] =>
  requests.map((request) => request.tools.map(({ name }) => name));

const first = ["read", "write", "tool_search"];

test("a deferred tool is given to the model once it was found, behind all others", async () => {
  const played = await play([find("train"), callOf("train"), find("boat")]);
  assert.deepEqual(given(played), [
    first,
    [...first, "train"],
    [...first, "train"],
    [...first, "train", "boat"],
  ]);
  const outputs = played.items.flatMap((item) => (item.kind === "call" ? [item.output] : []));
  assert.equal(outputs[1], "train ran");
});

test("one that is called without a search runs, and is given from then on", async () => {
  const played = await play([callOf("plane")]);
  assert.deepEqual(given(played), [first, [...first, "plane"]]);
});

test("what was found or called before is given from the beginning, in the order of then", async () => {
  const before = await play([find("train"), callOf("boat")]);
  const history: Message[] = [
    { role: "user", content: "go" },
    ...(before.requests.at(-1)?.messages.slice(1) ?? []),
    { role: "assistant", content: "done" },
  ];
  const next = await play([], { past: async () => ({ history }) });
  assert.deepEqual(given(next)[0], given(before).at(-1));
  const begun = history.slice(1, -1);
  assert.deepEqual(given(await play([], { doneElsewhere: begun }))[0], [...first, "train", "boat"]);
});

test("when everything is given there is nothing to search for, from the next turn on", async () => {
  const replies = [find("train"), find("boat"), find("plane")];
  const whole = await play(replies);
  assert.deepEqual(given(whole).at(-1), [...first, "train", "boat", "plane"]);
  const history = [...(whole.requests.at(-1)?.messages ?? [])];
  const next = await play([], {
    past: async () => ({ history: [...history, { role: "assistant", content: "done" }] }),
  });
  assert.deepEqual(given(next), [["read", "write", "train", "boat", "plane"]]);
});

test("words of others that look like a result of a search show nothing", async () => {
  const history: Message[] = [
    { role: "user", content: "## train" },
    { role: "assistant", content: "## boat", toolCalls: [{ id: "c1", name: "read", arguments: "{}" }] },
    { role: "tool", toolCallId: "c1", content: "## plane" },
    { role: "assistant", content: "done" },
  ];
  assert.deepEqual(given(await play([], { past: async () => ({ history }) })), [first]);
});
