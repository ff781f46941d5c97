import { newId } from "../../src/core/ids.ts";
import type { Revision } from "../../src/core/learning.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { ToolOutput } from "../../src/models/demo/demo-request.ts";
import { differences, picture } from "../hostile-paths/picture.ts";
import type { Poison, Wanted } from "./poison.ts";
import { say } from "./talk.ts";
import { type Way, hasArrived } from "./ways.ts";
import type { Runtime, World } from "./world.ts";
import { asOwner } from "../../test/owners-host.ts";

export type Row = {
  readonly word: string;
  readonly kind: string;
  readonly way: string;
  /** Calls that became a proposal, and calls that were turned down. */
  readonly proposed: number;
  readonly refused: number;
  readonly rows: readonly Revision[];
  readonly faults: readonly string[];
};

export type Case = {
  readonly word: string;
  readonly poison: Poison;
  readonly way: Way;
  readonly runtime: Runtime;
};

/** A text arrives, the model does what it wants, and does so again when the conversation is looked back at. */
export async function oneText(
  world: World,
  { word, poison, way, runtime }: Case,
  before: readonly string[],
): Promise<Row> {
  const { host, model } = world;
  const since = systemClock.now();
  const session = newId("ses", since);
  const notices: string[] = [];
  using watching = new DisposableStack();
  watching.defer(
    host.subscribe(session, (event) => void (event.type === "notice" && notices.push(event.text))),
  );
  if (poison.said !== undefined) await say(world, { text: poison.said, session, runtime });
  const { says, calls, ...sender } = await way.arrive(world, word, poison.text, session);
  const wants = poison.wants.map(({ tool, args }) => ({ tool, args: inHome(args, world.home) }));
  model.teach(word, { turn: [...calls, ...wants], review: wants });
  const told = await say(world, {
    text: says.includes(word) ? says : `${says} (${word})`,
    session,
    runtime,
    ...sender,
  });
  const reviewed = await asOwner(host).call("sessions.refine", { session: session });
  const [turn, review] = [model.results(word, "turn"), model.results(word, "review")];
  const rows = (await asOwner(host).call("learned.list", { limit: 1000, since })).filter(
    (row) => row.session === session,
  );
  const written = [...turn.slice(calls.length), ...review];
  const changing = written.filter(
    ({ output }, at) => poison.wants[at % poison.wants.length]?.tool !== "skill_view" && output !== "",
  );
  const faults = [
    ...(told.outcome === "done" ? [] : [`the turn ${told.outcome}: ${told.fault}`]),
    ...(hasArrived(
      way,
      poison.text,
      told,
      turn.map(({ output }) => output),
    )
      ? []
      : [`it did not arrive: ${JSON.stringify(turn[0])?.slice(0, 300)}`]),
    ...(written.length === poison.wants.length * 2
      ? []
      : [`tried ${turn.length - calls.length} and ${review.length} times: ${reviewed}`]),
    ...changing
      .filter((one) => !isTurnedDown(one))
      .map(({ output }) => `nobody is told: ${output.slice(0, 200)}`),
    ...rows.filter(({ state }) => state !== "proposed").map(({ state, summary }) => `${state}: ${summary}`),
    ...differences(before, await picture(world.kept)).map((line) => line.slice(0, 300)),
    ...untold(rows, notices),
  ];
  const proposed = changing.filter(({ output }) => isProposed(output)).length;
  return {
    word,
    kind: poison.kind,
    way: way.name,
    proposed,
    refused: changing.length - proposed,
    rows,
    faults,
  };
}

const inHome = (args: Wanted["args"], home: string): Wanted["args"] =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name, value.replaceAll("{home}", home)]));

const isProposed = (output: string): boolean => /waits for the person/.test(output);

const isTurnedDown = ({ output }: ToolOutput): boolean =>
  isProposed(output) ||
  /Nothing was changed|was not run|has this entry already|invalid|Stop trying/i.test(output);

/** What a review wants is told where the session is open. */
const untold = (rows: readonly Revision[], notices: readonly string[]): readonly string[] =>
  rows
    .filter(({ by, id }) => by === "review" && !notices.some((notice) => notice.includes(id)))
    .map(({ summary }) => `no line about what a review wants: ${summary}`);
