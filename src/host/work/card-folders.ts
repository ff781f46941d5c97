import type { CardFolder, CardId } from "../../core/cards/cards.ts";
import type { Workspaces } from "../../work/card-runs/workspaces.ts";
import type { Joined } from "../operations/joined.ts";
import { hostWorkspaces } from "./card-work.ts";

/** The folders that were made for cards. Only what is in a commit or archived goes, and only when somebody says so. */
export async function cardFolders(joined: Joined, remove: boolean): Promise<readonly CardFolder[]> {
  const workspaces = await hostWorkspaces(joined);
  const folders: CardFolder[] = [];
  for (const id of await workspaces.list()) folders.push(await cardFolder(joined, workspaces, id, remove));
  return folders;
}

async function cardFolder(
  { store, loaded, log }: Joined,
  workspaces: Workspaces,
  id: CardId,
  remove: boolean,
): Promise<CardFolder> {
  const signal = new AbortController().signal;
  const card = await store.cards.get(id);
  if (card === undefined) {
    const path = `${loaded.config.paths.workspaces}/${id}`;
    return { card: id, title: "", state: "gone", path, kept: "its card is not on any board", removed: false };
  }
  const { path, branch } = workspaces.placeOf(card);
  let kept = await workspaces.whyKept(card, signal).catch(wordsOf);
  let removed = false;
  if (remove && kept === undefined) {
    try {
      await workspaces.remove(card, signal);
      removed = true;
      log(`removed the folder of ${id}: ${path}`);
    } catch (error) {
      kept = wordsOf(error);
    }
  }
  return {
    card: id,
    title: card.title,
    state: card.state,
    path,
    removed,
    ...(branch === undefined ? {} : { branch }),
    ...(kept === undefined ? {} : { kept }),
  };
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
