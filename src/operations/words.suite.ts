import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Envelope } from "../core/events.ts";
import { type SessionId, newId } from "../core/ids.ts";
import { localOwner } from "../core/principal.ts";
import type { Edge } from "./edge.ts";
import type { OperationsWorld } from "./operations.suite.ts";

/** Two who are connected to one host and follow one session. */
export function wordsSuite(transport: string, open: (t: TestContext) => Promise<OperationsWorld>): void {
  test(`what one types is said to the other, once and in one order, ${transport}`, async (t) => {
    const world = await open(t);
    const [ann, ben] = [
      world.connect(localOwner("cli")),
      world.connect({ ...localOwner("cli"), terminal: {} }),
    ];
    const session = newId("ses", 1);
    const left = new AbortController();
    const heard = await Promise.all([ann, ben].map((each) => follow(each, session, 3, left.signal)));
    for (const [at, who] of [ann, ben, ann].entries()) await say(who, world.cwd, session, `words ${at}`);
    const [byAnn = [], byBen = []] = await Promise.all(heard.map(({ lines }) => lines));
    left.abort();
    assert.deepEqual(byAnn, [...turn(0, true), ...turn(1, false), ...turn(2, true)]);
    assert.deepEqual(byBen, [...turn(0, false), ...turn(1, true), ...turn(2, false)]);
  });

  test(`whoever does not ask for what others do hears of no words, ${transport}`, async (t) => {
    const world = await open(t);
    const [ann, ben] = [
      world.connect(localOwner("cli")),
      world.connect({ ...localOwner("cli"), terminal: {} }),
    ];
    const session = newId("ses", 1);
    const left = new AbortController();
    const { lines } = await follow(ben, session, 1, left.signal, {});
    await say(ann, world.cwd, session, "words");
    assert.deepEqual(await lines, ["started", "ended"]);
    left.abort();
  });
}

/** Resolves when it has begun, with what is heard until so many turns have ended. */
async function follow(
  by: Edge,
  session: SessionId,
  turns: number,
  signal: AbortSignal,
  more: object = { elsewhere: true },
): Promise<{ readonly lines: Promise<readonly string[]> }> {
  const events = await by.open("sessions.follow", { session, ...more }, signal);
  const reading = async (): Promise<readonly string[]> => {
    const lines: string[] = [];
    for await (const event of events as AsyncIterable<Envelope>) {
      if (event.type === "said") lines.push(`said ${JSON.stringify(event.input).match(/words \d/)?.[0]}`);
      if (event.type === "started" || event.type === "ended") lines.push(event.type);
      if (lines.filter((line) => line === "ended").length === turns) break;
    }
    return lines;
  };
  return { lines: reading() };
}

let messages = 0;

async function say(by: Edge, cwd: string, id: SessionId, text: string): Promise<void> {
  messages += 1;
  const sent = (await by.ask("turns.send", {
    key: { surface: "cli", account: "", chat: id, messageId: `words ${messages}` },
    session: { id, cwd, surface: "cli", audience: "owner" },
    input: [{ type: "text", text }],
    whenBusy: "queue",
    attended: "none",
  })) as { inbox: string };
  await by.ask("turns.wait", { inbox: sent.inbox });
}

const turn = (at: number, isOwn: boolean): readonly string[] => [
  ...(isOwn ? [] : [`said words ${at}`]),
  "started",
  "ended",
];
