import { DatabaseSync } from "node:sqlite";
import type { Corpus } from "./corpus.ts";

const perSession = 100;

/** Writes messages straight into the tables: the way in is not what is measured here. Returns some of the texts. */
export function fill(path: string, { message, pick }: Corpus, messages: number): readonly string[] {
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  const samples: string[] = [];
  try {
    db.exec("pragma synchronous = off; pragma cache_size = -262144; pragma wal_autocheckpoint = 100000");
    setHashSize(db, 64 * 1024 * 1024);
    const session = db.prepare(
      `insert into session (id, cwd, surface, audience, title, created_at, updated_at)
        values (?, '/work', 'cli', 'owner', ?, ?, ?)`,
    );
    const row = db.prepare(
      "insert into message (session, turn_id, item_id, role, at, content) values (?, ?, ?, ?, ?, ?)",
    );
    db.exec("begin immediate");
    for (let n = 0; n < messages; n++) {
      const id = `ses_${String(Math.floor(n / perSession)).padStart(10, "0")}`;
      if (n % perSession === 0) session.run(id, `Session ${id}`, n, n);
      const { role, content } = message();
      row.run(id, `trn_${Math.floor(n / 4)}`, String(n), role, n, content);
      if (pick(50) === 0) samples.push(content);
    }
    db.exec("commit");
    setHashSize(db, 1024 * 1024);
    db.exec("pragma wal_checkpoint(truncate)");
  } finally {
    db.close();
  }
  return samples;
}

/** How much FTS5 gathers in memory before it writes; only the filling is faster for it. */
function setHashSize(db: DatabaseSync, bytes: number): void {
  for (const index of ["message_words", "message_trigrams"]) {
    db.exec(`insert into ${index} (${index}, rank) values ('hashsize', ${bytes})`);
  }
}
