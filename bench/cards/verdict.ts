import type { CardDetails, CardId } from "../../src/core/cards/cards.ts";
import type { SessionId } from "../../src/core/ids.ts";
import type { Item } from "../../src/core/items.ts";
import type { StoredTurn } from "../../src/core/session.ts";
import { effects, summaryOf } from "./card-model.ts";
import type { CardsHome } from "./home.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type Running, processesWith } from "./processes.ts";

export type CardVerdict = {
  /** How each attempt ended, oldest first. */
  readonly attempts: readonly string[];
  readonly commands: number;
  readonly unheard: number;
  readonly broken: readonly string[];
};

/** What must be true of a card after anything was killed. */
export async function cardVerdict(home: CardsHome, id: CardId): Promise<CardVerdict> {
  const { store } = home;
  const card = await store.cards.details(id);
  if (card === undefined) return { attempts: [], commands: 0, unheard: 0, broken: [`${id} is lost`] };
  const runs = card.runs.toSorted((one, other) => one.epoch - other.epoch);
  const sessions = runs.flatMap(({ session }) => (session === undefined ? [] : [session as SessionId]));
  const turns = (await Promise.all(sessions.map((each) => store.sessions.lastTurns(each, 50)))).flat();
  const items = (await Promise.all(turns.map((turn) => store.turns.items(turn.id)))).flat();
  const ran = await effectsOf(home, id);
  return {
    attempts: runs.map(({ outcome = "open" }) => outcome),
    commands: new Set(ran).size,
    unheard: callsOf(items, "said ").filter((item) => !item.output.includes("said t_")).length,
    broken: [
      ...doneOnce(card),
      ...(await toldOnce(home, card)),
      ...turnsOnce(turns, items),
      ...effectsOnce(ran, items),
      ...(await leftOf(id)).map(({ command }) => `still runs: ${command.slice(0, 200)}`),
      ...((await home.git("show", `card/${id}:note.md`).then(
        (note) => note === "mended",
        () => false,
      ))
        ? []
        : ["the patch is not on its branch"]),
    ].map((line) => `${id}: ${line}`),
  };
}

function doneOnce({ id, state, block, runs, events }: CardDetails): readonly string[] {
  const completed = runs.filter(({ outcome }) => outcome === "completed");
  const said = events.filter(({ what }) => what === "complete");
  const open = runs.filter(({ endedAt }) => endedAt === undefined);
  return [
    ...(state === "done" ? [] : [`is ${state}: ${block?.reason ?? runs.at(-1)?.error ?? ""}`]),
    ...(completed.length === 1 && completed[0]?.summary === summaryOf(id)
      ? []
      : [`has ${completed.length} results: ${completed.map(({ summary }) => summary).join(", ")}`]),
    ...(said.length === 1 ? [] : [`was completed ${said.length} times`]),
    ...open.map((run) => `${run.id} was never closed`),
  ];
}

/** The owner hears once that it is done. */
async function toldOnce({ store }: CardsHome, { runs }: CardDetails): Promise<readonly string[]> {
  const untold = await store.outcomes.untold();
  const many = untold.filter(({ subject }) => runs.some(({ id }) => subject === `card ${id}`)).length;
  return many === 1 ? [] : [`the owner is told of it ${many} times`];
}

function turnsOnce(turns: readonly StoredTurn[], items: readonly Item[]): readonly string[] {
  const inputs = turns.map(({ inbox }) => inbox);
  const open = turns.filter(({ state }) => state === "open");
  const words = callsOf(items, "").filter(({ tool, ok }) => tool === "kanban_complete" && ok);
  return [
    ...inputs.filter((input, at) => inputs.indexOf(input) !== at).map((input) => `${input} has two turns`),
    ...open.map((turn) => `${turn.id} was never closed`),
    ...(words.length === 1 ? [] : [`its worker's word is kept ${words.length} times`]),
  ];
}

/** Each ran at most once, and what ran is in the transcript. */
const effectsOnce = (ran: readonly string[], items: readonly Item[]): readonly string[] => [
  ...ran.filter((nonce, at) => ran.indexOf(nonce) !== at).map((nonce) => `${nonce} ran twice`),
  ...[...new Set(ran)]
    .filter((nonce) => callsOf(items, `echo ${nonce} `).length !== 1)
    .map(
      (nonce) => `${nonce} ran, and is in the transcript ${callsOf(items, `echo ${nonce} `).length} times`,
    ),
];

const callsOf = (items: readonly Item[], words: string) =>
  items
    .filter((item) => item.kind === "call")
    .filter(({ args }) => JSON.stringify(args ?? "").includes(words));

const effectsOf = ({ git }: CardsHome, id: CardId): Promise<readonly string[]> =>
  git("show", `card/${id}:${effects}`).then(
    (text) => text.split("\n").filter((line) => line !== ""),
    () => [],
  );

/** A sandbox that loses its parent to the kill in the moment of its own start takes a while to notice: codex has long gone on. */
const noticeMs = 3000;

async function leftOf(card: CardId): Promise<readonly Running[]> {
  const last = systemClock.monotonic() + noticeMs;
  for (;;) {
    const left = await processesWith(`echo ${card}-`);
    if (left.length === 0 || systemClock.monotonic() > last) return left;
    await systemClock.sleep(20, undefined, { hold: true });
  }
}
