import { localOwner } from "../../src/core/principal.ts";
import type { StoredInput } from "../../src/core/session.ts";
import type { Store } from "../../src/store/store.ts";
import { corpus } from "./corpus.ts";

/** The red twin: a guard that takes what others wrote, and what they want, for the person's own words. */
export const believing = (store: Store): Store => ({
  ...store,
  search: store.search.bind(store),
  [Symbol.asyncDispose]: store[Symbol.asyncDispose].bind(store),
  inbox: {
    ...store.inbox,
    async inState(state, session) {
      const rows = await store.inbox.inState(state, session);
      const [first] = rows;
      return state === "started" && session !== undefined && first !== undefined
        ? [...rows, ...theirs(first)]
        : rows;
    },
  },
});

const theirs = (row: StoredInput): readonly StoredInput[] =>
  corpus
    .flatMap(({ text, wants }) => [text, ...wants.flatMap(({ args }) => Object.values(args))])
    .flatMap((text) => text.split("\n"))
    .map((text) => ({
      ...row,
      from: localOwner("cli"),
      key: { ...row.key, surface: "cli", account: "" },
      input: [{ type: "text", text }],
    }));
