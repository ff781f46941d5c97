import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { CardCalls } from "../../core/cards/card-calls.ts";
import { type Card, type CardId, type Workspace, cardStates } from "../../core/cards/cards.ts";
import type { Handlers, InputOf } from "../../core/calls.ts";
import { Refusal } from "../../core/host.ts";
import { type Caller, principalName } from "../../core/principal.ts";
import type { CardTable } from "../../store/schema/card-table.ts";
import { type Cards, cardsOf } from "../../work/index.ts";
import type { Joined } from "./joined.ts";
import { noSuchRuntime } from "../../core/text/no-such-runtime.ts";

type Said = Exclude<Awaited<ReturnType<Cards["apply"]>>, undefined>;
type Word = Parameters<Cards["apply"]>[2];

/** Boards and cards for whoever may: a caller is a person, whatever program they use. */
export function cardHandlers(joined: Joined): Handlers<keyof CardCalls> {
  const { store, clock, runtime, cwd, work } = joined;
  const table = store.cards;
  const cards = cardsOf(table);
  const changed = (card: Card): Card => {
    work.changed();
    return card;
  };
  const ask = async (card: string, caller: Caller, word: (id: CardId) => Word | Promise<Word>) => {
    const id = await idOf(table, card);
    return changed(done(await cards.apply(personOf(caller), id, await word(id), clock.now()), card));
  };
  const plain =
    (word: "ready" | "unblock" | "archive" | "reopen") =>
    ({ card }: { readonly card: string }, caller: Caller) =>
      ask(card, caller, () => ({ do: word }));
  return {
    async "kanban.add"(
      { cwd: from = cwd, parents = [], workspace = "scratch", check, allow, ...wanted },
      caller,
    ) {
      const placed = await placeOf(workspace, from);
      const ids = await Promise.all(parents.map((parent) => idOf(table, parent)));
      checkNames(wanted);
      const terms = await (
        await import("../work/card-terms.ts")
      ).cardTerms(joined, { check, allow }, placed, caller);
      const card = { runtime: runtime.current(), ...wanted, workspace: placed, parents: ids, terms };
      return changed(done(await cards.add(personOf(caller), card, clock.now()), ""));
    },
    "kanban.workspaces": async ({ remove = false }) =>
      (await import("../work/card-folders.ts")).cardFolders(joined, remove),
    "kanban.list": ({ states = shown, ...filter }) => table.list({ ...filter, states }),
    "kanban.show": async ({ card }) => (await table.details(await idOf(table, card))) ?? missing(card),
    "kanban.comment": ({ card, text }, caller) => ask(card, caller, () => ({ do: "comment", text })),
    "kanban.link": ({ card, parent }, caller) =>
      ask(card, caller, async () => ({ do: "link", parent: await idOf(table, parent) })),
    "kanban.unlink": ({ card, parent }, caller) =>
      ask(card, caller, async () => ({ do: "unlink", parent: await idOf(table, parent) })),
    "kanban.ready": plain("ready"),
    "kanban.block": ({ card, parent, ...block }, caller) =>
      ask(card, caller, async () => ({
        do: "block",
        ...block,
        ...(parent === undefined ? {} : { parent: await idOf(table, parent) }),
      })),
    "kanban.unblock": plain("unblock"),
    "kanban.complete": ({ card, summary }, caller) => ask(card, caller, () => ({ do: "complete", summary })),
    "kanban.archive": plain("archive"),
    "kanban.reopen": plain("reopen"),
    "kanban.boards": () => table.boards(),
    "kanban.runs": async ({ card, limit }) =>
      table.runs({ limit, ...(card === undefined ? {} : { card: await idOf(table, card) }) }),
  };
}

const shown = cardStates.filter((state) => state !== "archived");

const personOf = (caller: Caller) => ({ is: "person", name: principalName(caller) }) as const;

function done(said: Said | undefined, card: string): Card {
  if (said === undefined)
    throw new Refusal("not_found", `${card} and the other card are on different boards.`, "Use one board.");
  if (!("no" in said)) return said;
  throw new Refusal(said.no === "usage" ? "usage" : "refused", said.message, said.next);
}

/** By id or a unique beginning of it, with or without `t_`. */
async function idOf(table: CardTable, typed: string): Promise<CardId> {
  const wanted = typed.startsWith("t_") ? typed : `t_${typed}`;
  const [found, ...more] = await table.find(wanted.toLowerCase());
  if (found === undefined) return missing(typed);
  if (more.length > 0 && found.id !== wanted)
    throw new Refusal("usage", `Several cards begin with ${typed.slice(0, 40)}.`, "Write more of the id.");
  return found.id;
}

function missing(typed: string): never {
  throw new Refusal("not_found", `There is no card "${typed.slice(0, 40)}".`, "See `talaria kanban list`.");
}

function checkNames({ board = "default", runtime = "loop" }: Partial<InputOf<"kanban.add">>): void {
  if (!/^[a-z0-9][a-z0-9_-]{0,39}$/.test(board))
    throw new Refusal(
      "usage",
      `A board cannot be called ${JSON.stringify(board.slice(0, 60))}.`,
      "Use small letters, digits, - and _ (40 at most).",
    );
  if (runtime !== "loop" && runtime !== "codex") throw noSuchRuntime(runtime, ["loop", "codex"]);
}

/** With a whole path. A folder has to be there: a card says now where it is worked on. */
async function placeOf(workspace: Workspace, from: string): Promise<Workspace> {
  const [, kind = "", path = ""] = /^(folder|worktree):(.+)$/s.exec(workspace) ?? [];
  if (kind === "") return "scratch";
  const whole = resolve(from, path);
  const isFolder = await stat(whole).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new Refusal("usage", `There is no folder ${whole}.`, "Name one that is there.");
  return `${kind as "folder" | "worktree"}:${whole}`;
}
