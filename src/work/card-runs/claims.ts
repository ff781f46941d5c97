import type { Card, CardDetails, CardRun } from "../../core/cards/cards.ts";
import { asId, newId } from "../../core/ids.ts";
import { type StoredGrant, grantedCommandKey } from "../../core/ledger.ts";
import { localOwner, principalName } from "../../core/principal.ts";
import { short } from "../../core/plain-text.ts";
import { isSameProcess } from "../../lib/process/process-identity.ts";
import type { PlannedWork } from "../../store/schema/work-tables.ts";
import { fullLimit } from "../budget/allowance.ts";
import { cardsOf } from "../cards/cards.ts";
import { workPause } from "../pause.ts";
import { firstWords } from "./card-words.ts";
import { claimMs } from "./claim-time.ts";
import type { CardRunDeps, Holding } from "./parts.ts";
import { takeBack } from "./settling.ts";

/** Cards that are looked at for the next worker. */
const mostLookedAt = 50;

/**
 * What time lets go on does, attempts whose worker is gone are taken back, and cards that are ready are claimed, each with
 * the input of its own session. Gives when it has to be looked at again.
 */
export async function planCards(deps: CardRunDeps, holding: Holding): Promise<number | undefined> {
  const { store, clock } = deps;
  const due = new Set(await store.cards.due(clock.now()));
  for (const id of due) await cardsOf(store.cards).apply({ is: "time" }, id, { do: "unblock" }, clock.now());
  const open = await store.cards.open();
  for (const run of open) if (!holding.has(run.id)) await takeUp(deps, holding, run, due.has(run.card));
  if ((await workPause(store)) === undefined) await claimReady(deps, holding);
  return store.cards.nextDue(clock.now());
}

/** Of this process, without its knowing: the claim was written, and the word of that got lost. */
async function takeUp(deps: CardRunDeps, holding: Holding, run: CardRun, isOverdue: boolean): Promise<void> {
  const { id, card, session, owner } = run;
  const isOwn = owner !== undefined && isSameProcess(owner, deps.owner);
  if (!isOwn) return takeBack(deps, run, isOverdue);
  if (session !== undefined) holding.hold({ id, card, session: asId<"ses">(session) });
}

async function claimReady(deps: CardRunDeps, holding: Holding): Promise<void> {
  const { store, settings, owner, clock } = deps;
  const free = () => settings.workers - holding.held().length;
  if (free() <= 0) return;
  const ready = await store.cards.list({ states: ["ready"], limit: mostLookedAt });
  // Nothing is claimed for which there would be no budget: it stays ready, and `talaria why` says so.
  if (ready.length === 0 || (await fullLimit(deps, "card")) !== undefined) return;
  const taken = new Set(await foldersInUse(deps));
  for (const { id, workspace } of ready) {
    if (free() <= 0) return;
    const card = taken.has(workspace) ? undefined : await store.cards.details(id);
    if (card === undefined) continue;
    const work = await workFor(deps, card);
    const { session } = work.admission;
    const sessionId = typeof session === "string" ? session : session.id;
    const claim = { do: "claim", owner, ttlMs: claimMs, session: sessionId, work } as const;
    const claimed = await cardsOf(store.cards).apply({ is: "dispatcher" }, id, claim, clock.now());
    if (claimed === undefined || "no" in claimed || claimed.run === undefined) continue;
    holding.hold({ id: claimed.run, card: id, session: sessionId });
    if (workspace.startsWith("folder:")) taken.add(workspace);
  }
}

/** Two that work in one folder would be in each other's way. */
async function foldersInUse({ store }: CardRunDeps): Promise<readonly string[]> {
  const running = await store.cards.list({ states: ["running"], limit: 1000 });
  return running.map(({ workspace }) => workspace).filter((workspace) => workspace.startsWith("folder:"));
}

/** Its input, in a session of its own; folder, runtime and model are the card's. */
async function workFor(deps: CardRunDeps, card: CardDetails): Promise<PlannedWork> {
  const now = deps.clock.now();
  const place = deps.workspaces.placeOf(card);
  const { terms = { by: localOwner("cli") }, runtime, model } = card;
  const session = newId("ses", now);
  return {
    admission: {
      id: newId("inb", now),
      at: now,
      from: terms.by,
      key: { surface: "card", account: "", chat: card.id, messageId: `${session} begin` },
      session: {
        id: session,
        cwd: place.path,
        surface: "card",
        audience: "owner",
        title: short(card.title, 80),
        ...(runtime === undefined ? {} : { runtime }),
        ...(model === undefined ? {} : { model }),
      },
      input: [{ type: "text", text: firstWords(card, place, await handoffs(deps, card)) }],
      work: { origin: "card", subject: card.id, dueAt: now, attempt: 1, terms: { target: "local" } },
    },
    grants: grantsOf(card, { session, cwd: place.path, now }),
  };
}

/** What those have said who did what it waited for. */
async function handoffs({ store }: CardRunDeps, { parents }: CardDetails): Promise<readonly string[]> {
  const said: string[] = [];
  for (const { id, title } of parents) {
    const done = (await store.cards.runs({ card: id, limit: 10 })).find(isCompleted);
    if (done?.summary !== undefined) said.push(`${id} ${title}: ${short(done.summary, 4000)}`);
  }
  return said;
}

const isCompleted = ({ outcome }: CardRun): boolean => outcome === "completed";

const grantsOf = (
  { terms }: Card,
  { session, cwd, now }: { session: StoredGrant["session"] & string; cwd: string; now: number },
): readonly StoredGrant[] =>
  (terms?.allow ?? []).map(({ command, bound }): StoredGrant => ({
    id: newId("grn", now),
    scope: "work",
    session,
    hash: grantedCommandKey(command, cwd),
    summary: command,
    tool: "command",
    cwd,
    by: principalName(terms?.by ?? localOwner("cli")),
    madeAt: now,
    left: 1,
    ...(bound === undefined ? {} : { bound }),
  }));
