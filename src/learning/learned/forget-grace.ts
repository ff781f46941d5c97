import { Refusal } from "../../core/host.ts";
import type { RevisionId } from "../../core/ids.ts";
import { isPlainObject } from "../../core/json.ts";
import type { Forgetting, Learned } from "../../core/learning.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Store } from "../../store/store.ts";
import { folded } from "./folded.ts";
import { type ForgetDeps, forget, hide } from "./forget.ts";

export type GraceDeps = Omit<ForgetDeps, "store"> & {
  readonly store: ForgetDeps["store"] & Pick<Store, "meta">;
  readonly clock: Clock;
  readonly lock: () => Promise<AsyncDisposable>;
};

/** How long something that was forgotten can be taken back. */
const graceMs = 86_400_000;
const key = "forgetting";

/** A text that is to be forgotten for good at `until`, and is stored no longer than that. */
type Waiting = { readonly text: string; readonly until: number; readonly done: readonly RevisionId[] };

export async function forgetWithGrace(deps: GraceDeps, text: string): Promise<Forgetting> {
  const until = deps.clock.now() + graceMs;
  const noted: Waiting = { text, until, done: [] };
  // Noted before any file changes: what a crash leaves half done is finished a day later.
  await rewrite(deps, (waiting) => [...waiting, noted]);
  const { done, ...forgotten } = await hide(deps, text);
  const isNothing = forgotten.files.length === 0 && forgotten.revisions === 0;
  await rewrite(deps, (waiting) => [
    ...waiting.filter((each) => !isSame(each, noted)),
    ...(isNothing ? [] : [{ ...noted, done }]),
  ]);
  return { ...forgotten, until };
}

export async function unforget(deps: GraceDeps, text?: string): ReturnType<Learned["unforget"]> {
  const now = deps.clock.now();
  const isMeant = (each: Waiting): boolean =>
    now < each.until && (text === undefined || folded(each.text) === folded(text));
  const found = (await load(deps)).findLast(isMeant);
  if (found === undefined) throw tooLate(text);
  const [files, left]: [string[], string[]] = [[], []];
  for (const id of found.done.toReversed()) {
    try {
      files.push((await deps.files.revert(id, "person")).file);
    } catch (error) {
      left.push(`${id} was not taken back: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  await rewrite(deps, (waiting) => waiting.filter((each) => !isSame(each, found)));
  return { text: found.text, files, left };
}

/** What was forgotten more than a day ago goes for good. Two that do so at once do it twice, which changes nothing. */
export async function settleForgotten(deps: GraceDeps): Promise<number> {
  const over = (await load(deps)).filter(({ until }) => until <= deps.clock.now());
  for (const one of over) {
    await forget(deps, one.text);
    await rewrite(deps, (waiting) => waiting.filter((each) => !isSame(each, one)));
  }
  return over.length;
}

const isSame = (one: Waiting, other: Waiting): boolean =>
  one.text === other.text && one.until === other.until;

async function load({ store }: GraceDeps): Promise<readonly Waiting[]> {
  const kept: unknown = JSON.parse((await store.meta.get(key)) || "[]");
  return Array.isArray(kept) ? kept.filter(isWaiting) : [];
}

/** Two processes must not do so at once. */
async function rewrite(
  deps: GraceDeps,
  change: (waiting: readonly Waiting[]) => readonly Waiting[],
): Promise<void> {
  await using held = new AsyncDisposableStack();
  held.use(await deps.lock());
  await deps.store.meta.set(key, JSON.stringify(change(await load(deps))));
}

const isWaiting = (value: unknown): value is Waiting =>
  isPlainObject(value) && typeof value["text"] === "string" && Array.isArray(value["done"]);

const tooLate = (text: string | undefined): Refusal =>
  new Refusal(
    "not_found",
    text === undefined
      ? "Nothing was forgotten in the last day."
      : "That was not forgotten in the last day, or was written differently.",
    "After a day it is gone for good. `talaria learned` shows what was learned and changed.",
  );
