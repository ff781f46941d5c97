import type { NoticeEvent } from "../../core/events.ts";
import type { Store } from "../../store/store.ts";
import type { NewsDeps } from "./news-keeper.ts";
import type { Due } from "./due-session.ts";
import type { Reviewed } from "./one-review.ts";

const key = "first_review_told";

/** Nobody asked for the first review: that there was one, and what it cost, is said once in a home, when somebody is there. */
export async function tellFirst(
  { store, tell }: Pick<NewsDeps, "tell"> & { readonly store: Pick<Store, "meta"> },
  { session, last }: Due,
  { spent }: Reviewed,
): Promise<void> {
  if (spent === undefined || (await store.meta.get(key)) !== undefined) return;
  if (tell(session.id, last.id, words(spent))) await store.meta.set(key, "1");
}

const words = ({ tokens, cost }: NonNullable<Reviewed["spent"]>): NoticeEvent => ({
  type: "notice",
  code: "first_review",
  text:
    `Talaria has looked back on this conversation to learn from it, for the first time: ${tokens.toLocaleString("en-US")} tokens` +
    `${cost === undefined ? "" : `, $${cost.toFixed(4)}`}. It does so now and then; \`talaria usage\` shows what it costs, ` +
    `and \`talaria config set learning.mode off\` ends it.`,
});
