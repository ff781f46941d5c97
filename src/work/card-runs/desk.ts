import type { CardsWanted, SaidBlock, WantedCard } from "../../core/cards/card-tools.ts";
import { type Card, type CardId, type CardRunId, cardStands, cardStates } from "../../core/cards/cards.ts";
import { oneLine, short } from "../../core/plain-text.ts";
import { principalName } from "../../core/principal.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Store } from "../../store/store.ts";
import type { ToolContext, ToolResult } from "../../tools/tool.ts";
import { cardsOf } from "../cards/cards.ts";
import type { Actor, Command, No } from "../cards/command.ts";
import { cardWords } from "./card-words.ts";
import { claimMs } from "./claim-time.ts";
import { wantedCard } from "./model-card.ts";
import type { Worker } from "./parts.ts";
import { commandOf, idOf } from "./say.ts";
import type { Verdict } from "./verdict.ts";

export type DeskDeps = {
  readonly store: Pick<Store, "cards">;
  /** What a card of a session that hands out work runs on. */
  readonly runtime: () => string;
  readonly clock: Clock;
};

type Desk = ReturnType<typeof looking> & ReturnType<typeof reporting> & ReturnType<typeof handingOut>;

/** Answers the tools of boards, for the worker of a card and for a session that hands out work. */
export const kanbanDesk = (deps: DeskDeps): Desk => ({
  ...looking(deps),
  ...reporting(deps),
  ...handingOut(deps),
});

const looking = ({ store: { cards: table } }: DeskDeps) => ({
  async show(wanted: string | undefined, context: ToolContext): Promise<ToolResult> {
    const own = await workerOf(table, context);
    const id = wanted === undefined ? own?.card.id : await idOf(table, wanted);
    if (id === undefined) return whichCard;
    if (typeof id !== "string") return told(id);
    const found = await table.details(id);
    return found === undefined || (own !== undefined && found.board !== own.card.board)
      ? told(undefined)
      : said(cardWords(found));
  },

  async list({ board, states = shown, limit = 50 }: CardsWanted): Promise<ToolResult> {
    const rows = await table.list({ states, limit, ...(board === undefined ? {} : { board }) });
    const lines = rows.map(({ id, state, title }) => `${id}  ${state}  ${short(oneLine(title), 120)}`);
    return said(lines.length === 0 ? "There are no such cards." : lines.join("\n"));
  },
});

const shown = cardStates.filter((state) => state !== "archived");

/**
 * What a worker of ours says of its card is kept with the call, and written when its turn has ended: until then it is still at
 * work. It is looked at here, so that a word that nobody would take is said at once.
 */
const reporting = ({ store: { cards: table }, clock }: DeskDeps) => {
  const apply = applier(table, clock);
  const report = async (verdict: Verdict, context: ToolContext): Promise<ToolResult> => {
    const it = await workerOf(table, context);
    if (it === undefined) return notAWorker;
    const actor = { is: "worker", run: it.run } as const;
    const command = await commandOf(table, verdict, clock.now());
    if ("no" in command) return told(command);
    if (!it.isOurs) return apply(actor, it.card.id, command);
    const beat = await apply(actor, it.card.id, { do: "heartbeat", ttlMs: claimMs });
    return beat.ok ? said("Noted. It is written when this turn has ended: end it now.") : beat;
  };
  return {
    complete: ({ summary }: { readonly summary: string }, context: ToolContext) =>
      report({ do: "complete", summary }, context),

    block: ({ kind, reason, minutes, card }: SaidBlock, context: ToolContext) =>
      report(
        {
          do: "block",
          kind,
          reason,
          ...(minutes === undefined ? {} : { minutes }),
          ...(card === undefined ? {} : { card }),
        },
        context,
      ),

    async heartbeat(note: string | undefined, context: ToolContext): Promise<ToolResult> {
      const it = await workerOf(table, context);
      if (it === undefined) return notAWorker;
      const actor = { is: "worker", run: it.run } as const;
      const beat = await apply(actor, it.card.id, { do: "heartbeat", ttlMs: claimMs });
      const text = note?.trim() ?? "";
      return !beat.ok || text === "" ? beat : apply(actor, it.card.id, { do: "comment", text });
    },

    async comment(
      { card, text }: { readonly card?: string; readonly text: string },
      context: ToolContext,
    ): Promise<ToolResult> {
      const it = await workerOf(table, context);
      const id = card === undefined ? it?.card.id : await idOf(table, card);
      if (id === undefined) return whichCard;
      if (typeof id !== "string") return told(id);
      if (it !== undefined && id !== it.card.id) return not("The worker of a card writes only at its own.");
      const actor = it === undefined ? orchestrator(context) : ({ is: "worker", run: it.run } as const);
      return apply(actor, id, { do: "comment", text });
    },
  };
};

const handingOut = ({ store: { cards: table }, runtime, clock }: DeskDeps) => {
  const apply = applier(table, clock);
  return {
    async create(wanted: WantedCard, context: ToolContext): Promise<ToolResult> {
      const own = await workerOf(table, context);
      const now = clock.now();
      const card = await wantedCard(table, wanted, { own, context, runtime: runtime(), now });
      if ("no" in card) return told(card);
      const made = await cardsOf(table).add(orchestrator(context), card, now);
      if ("no" in made) return told(made);
      const waits = made.state === "triage" ? " A person looks at it before anybody works on it." : "";
      return said(`Made ${made.id} (${made.state}).${waits}`);
    },

    async link(
      { card, parent }: { readonly card: string; readonly parent: string },
      context: ToolContext,
    ): Promise<ToolResult> {
      if ((await workerOf(table, context)) !== undefined) return not("The worker of a card links none.");
      const [id, other] = [await idOf(table, card), await idOf(table, parent)];
      if (typeof id !== "string") return told(id);
      if (typeof other !== "string") return told(other);
      return apply(orchestrator(context), id, { do: "link", parent: other });
    },

    /** With the yes of a person, who was asked about just this. */
    async unblock(card: string, context: ToolContext): Promise<ToolResult> {
      if ((await workerOf(table, context)) !== undefined || context.attended !== true)
        return not("Only a person lets a blocked card go on.");
      const id = await idOf(table, card);
      if (typeof id !== "string") return told(id);
      return apply({ is: "person", name: principalName(context.from) }, id, { do: "unblock" });
    },
  };
};

const applier =
  (table: Store["cards"], clock: Clock) =>
  async (actor: Actor, id: CardId, command: Command): Promise<ToolResult> =>
    told(await cardsOf(table).apply(actor, id, command, clock.now()));

async function workerOf(
  table: Store["cards"],
  { session, task }: Pick<ToolContext, "session" | "task">,
): Promise<Worker | undefined> {
  const run = task === undefined ? (await table.ofSession(session))?.id : (task as CardRunId);
  const card = run && (await table.get(run.slice(0, run.lastIndexOf(".")) as CardId));
  return run && card && { run, card, isOurs: task === undefined };
}

const orchestrator = ({ from }: ToolContext) =>
  ({ is: "orchestrator", name: `a model of ${principalName(from)}` }) as const;

const said = (output: string): ToolResult => ({ ok: true, output });
const not = (output: string): ToolResult => ({ ok: false, output });
const notAWorker = not("This session works on no card.");
const whichCard = not("Which card? Give its id.");

function told(answer: Card | No | undefined): ToolResult {
  if (answer === undefined) return not("There is no such card on this board.");
  return "no" in answer ? not(`${answer.message} ${answer.next}`) : said(`${cardStands(answer)}.`);
}
