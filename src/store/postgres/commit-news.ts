import { type Kysely, sql } from "kysely";
import { Client } from "pg";
import type { Clock } from "../../lib/clock.ts";
import type { Engine } from "../engine.ts";
import type { Database } from "../schema/database.ts";

const channel = "talaria_commits";
/** Many commits of a moment are one piece of news: each NOTIFY makes the server's commits wait for each other. */
const togetherMs = 20;
/** What was missed while a connection was down is seen then. */
const pollMs = 1000;

export type CommitNews = {
  /** Tells others that something was committed here, soon. */
  tell(db: Kysely<Database>): void;
  /** What is still to be told is told at once. */
  close(): Promise<void>;
  readonly watch: Engine["watchOthers"];
};

export function commitNews(url: string, clock: Clock): CommitNews {
  const self = crypto.randomUUID();
  const closed = new AbortController();
  let due: Promise<void> | undefined;

  return {
    tell(db) {
      due ??= soon(db).catch(() => {}); // then the others see it when they look by themselves
    },

    async close() {
      closed.abort();
      await due;
    },

    async watch(_db, changed, _clock, signal) {
      const heard = listening(url, (payload) => payload !== self && changed());
      while (!signal.aborted) {
        void heard.connect().catch(() => {});
        await clock.sleep(pollMs, signal).catch(() => {});
        if (!signal.aborted) changed();
      }
      await heard.end();
    },
  };

  async function soon(db: Kysely<Database>): Promise<void> {
    await clock.sleep(togetherMs, closed.signal).catch(() => {});
    due = undefined;
    await sql`select pg_notify(${channel}, ${self})`.execute(db);
  }
}

/** A connection beside the pool, which is made again when it is lost. */
function listening(url: string, told: (payload: string | undefined) => void) {
  let client: Promise<Client> | undefined;
  const forget = (): void => void (client = undefined);
  return {
    connect: () => (client ??= open()),
    end: async () => (await client?.catch(() => undefined))?.end().catch(() => {}),
  };

  async function open(): Promise<Client> {
    const made = new Client({
      connectionString: url,
      application_name: "talaria news",
      connectionTimeoutMillis: 10_000,
      query_timeout: 10_000,
      keepAlive: true,
    });
    made.on("error", forget).on("end", forget);
    made.on("notification", ({ payload }) => told(payload));
    try {
      await made.connect();
      await made.query(`listen ${channel}`);
      return made;
    } catch (error) {
      forget();
      throw error;
    }
  }
}
