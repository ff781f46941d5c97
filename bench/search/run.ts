import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { tempFolder } from "../../test/temp-folder.ts";
import type { SearchQuery } from "../../src/core/session.ts";
import { asId } from "../../src/core/ids.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { Store } from "../../src/store/store.ts";
import { median } from "../medians.ts";
import { type Corpus, corpus } from "./corpus.ts";
import { fill } from "./fill.ts";
import { type Kind, type Query, queries } from "./queries.ts";

export type Size = { readonly messages: number; readonly queries: number; readonly rounds: number };

export type Result = {
  readonly seed: number;
  readonly messages: number;
  readonly samples: readonly Sample[];
};

/** One question: milliseconds (medians over the rounds) and what was found. */
export type Sample = {
  readonly kind: Kind;
  readonly typed: string;
  readonly rawMs: number;
  readonly storeMs: number;
  /** With the filters the session_search tool sets. */
  readonly filteredMs: number;
  readonly rawHits: readonly number[];
  readonly storeHits: readonly number[];
};

const limit = 20;
const filters: Partial<SearchQuery> = {
  roles: ["user", "assistant"],
  excludeSession: asId<"ses">("ses_0000000001"),
};

/** Our search and the bare FTS5 query, question by question, in the same run on the same file. */
export async function run(size: Size, seed: number): Promise<Result> {
  await using folder = await tempFolder();
  const path = join(folder.path, "talaria.db");
  await (await openSqliteStore(path))[Symbol.asyncDispose]();
  const source = corpus(seed);
  const texts = fill(path, source, size.messages);
  return { seed, messages: size.messages, samples: await samplesIn(path, source, texts, size) };
}

/** The same in a file that is filled already. `texts`: some that are in it. */
export async function samplesIn(
  path: string,
  source: Corpus,
  texts: readonly string[],
  size: Omit<Size, "messages">,
): Promise<readonly Sample[]> {
  await using store = await openSqliteStore(path);
  using raw = new DatabaseSync(path, { readOnly: true });
  const samples: Sample[] = [];
  for (const query of queries(source, texts, size.queries)) {
    samples.push(await measure(store, raw, query, size.rounds));
  }
  return samples;
}

async function measure(store: Store, raw: DatabaseSync, query: Query, rounds: number): Promise<Sample> {
  const { kind, typed, index, match } = query;
  const first = bareQuery(raw, index);
  const parts = bareQuery(raw, "message_trigrams");
  const ways = {
    // As search does it: parts of words when no word was found.
    raw: async () => {
      const found = first(match);
      return found.length > 0 || index === "message_trigrams" ? found : parts(match.replace(" *", ""));
    },
    store: async () => (await store.search({ text: typed, limit })).map((hit) => hit.seq),
    filtered: async () => (await store.search({ text: typed, limit, ...filters })).map((hit) => hit.seq),
  };
  const names = ["raw", "store", "filtered"] as const;
  const times = { raw: [] as number[], store: [] as number[], filtered: [] as number[] };
  const found: Record<keyof typeof times, readonly number[]> = { raw: [], store: [], filtered: [] };
  for (let round = 0; round <= rounds; round++) {
    // Each way is first in turn; round 0 warms up.
    for (let place = 0; place < names.length; place++) {
      const name = names[(round + place) % names.length] ?? "raw";
      const start = performance.now();
      found[name] = await ways[name]();
      if (round > 0) times[name].push(performance.now() - start);
    }
  }
  return {
    kind,
    typed,
    rawMs: median(times.raw),
    storeMs: median(times.store),
    filteredMs: median(times.filtered),
    rawHits: found.raw,
    storeHits: found.store,
  };
}

function bareQuery(db: DatabaseSync, index: Query["index"]): (match: string) => readonly number[] {
  const tokens = index === "message_words" ? 30 : 64;
  const statement = db.prepare(
    `SELECT rowid, snippet(${index}, 0, '«', '»', '…', ${tokens}) FROM ${index} WHERE ${index} MATCH ? ORDER BY rank LIMIT ${limit}`,
  );
  return (match) => statement.all(match).map((row) => Number(row["rowid"]));
}
