import { readFileSync, readdirSync } from "node:fs";
import type { TurnRecord } from "../../src/core/session.ts";
import type { SessionId } from "../../src/core/ids.ts";
import { openStoreAt } from "../../src/store/open.ts";
import { history } from "../../src/transcript/history.ts";
import { numberedTurns } from "../../src/transcript/numbered-turn.ts";
import { validHistory } from "../../test/valid-history.ts";
import type { Disk, Rows } from "./disk.ts";
import { brokenCursors, brokenLog } from "./event-log.ts";
import type { Said } from "./job.ts";

/** Compares what workers said with what is on the disk, after a last start that was not killed. One line each. */
export async function check(disk: Disk, said: Said, marker: string): Promise<readonly string[]> {
  const { broken, sessions } = await disk.look(async (rows) => ({
    broken: [
      ...(await lostInputs(said, rows)),
      ...(await doubledTurns(rows)),
      ...(await lostItems(said, rows)),
      ...(await doubledRows(rows)),
      ...(await openEnds(said, rows)),
      ...(await oldEpochs(rows)),
      ...(await brokenLog(rows)),
    ],
    sessions: (await rows<{ id: SessionId }>("select id from session")).map(({ id }) => id),
  }));
  return [
    ...broken,
    ...(await disk.damage()),
    ...(await brokenHistories(disk, sessions)),
    ...orphans(marker),
  ];
}

/** I1: every acknowledged input is there. */
async function lostInputs(said: Said, rows: Rows): Promise<string[]> {
  const inputs = await rows<{ msg_id: string }>("select msg_id from inbox");
  const stored = new Set(inputs.map((row) => row.msg_id));
  return said.acked
    .filter((text) => !stored.has(text))
    .map((text) => `lost: "${text}" was acknowledged and is not stored`);
}

/** I2: an input runs at most once, and its words stand once in the transcript. */
async function doubledTurns(rows: Rows): Promise<string[]> {
  const turns = await rows<{ inbox_id: string; n: number }>(
    "select inbox_id, count(*) n from turn group by inbox_id having count(*) > 1",
  );
  const words = await rows<{ content: string; n: number }>(
    "select content, count(*) n from message where role = 'user' group by content having count(*) > 1",
  );
  return [
    ...turns.map(({ inbox_id, n }) => `doubled: input ${inbox_id} ran ${n} times`),
    ...words.map(({ content, n }) => `doubled: "${content}" stands ${n} times`),
  ];
}

/** I4: whatever was shown is there. */
async function lostItems(said: Said, rows: Rows): Promise<string[]> {
  const items = await rows<{ turn_id: string; item_id: string }>("select turn_id, item_id from item");
  const stored = new Set(items.map((row) => `${row.turn_id}/${row.item_id}`));
  return said.shown
    .filter(({ turn, item }) => !stored.has(`${turn}/${item}`))
    .map(({ turn, item }) => `lost: item ${item} of ${turn} was shown and is not stored`);
}

async function doubledRows(rows: Rows): Promise<string[]> {
  const doubled = await rows<{ turn_id: string; item_id: string; role: string }>(
    "select turn_id, item_id, role from message group by turn_id, item_id, role having count(*) > 1",
  );
  return doubled.map((row) => `doubled: ${row.role} row of ${row.item_id} in ${row.turn_id}`);
}

/** I8: nothing is open, nothing waits, and an end that was shown is the end that is stored. */
async function openEnds(said: Said, rows: Rows): Promise<string[]> {
  const stored = await rows<{ id: string; state: string }>("select id, state from turn");
  const turns = new Map(stored.map((row) => [row.id, row.state]));
  const calls = await rows<{ item_id: string }>("select item_id from begun_call");
  const waiting = await rows<{ msg_id: string }>("select msg_id from inbox where state = 'waiting'");
  return [
    ...[...turns].filter(([, state]) => state === "open").map(([id]) => `open: turn ${id} never ended`),
    ...calls.map(({ item_id }) => `open: call ${item_id} was never closed`),
    ...waiting.map(({ msg_id }) => `open: "${msg_id}" still waits`),
    ...said.ended
      .filter(({ turn, outcome }) => turns.get(turn) !== outcome)
      .map(
        ({ turn, outcome }) => `lost: ${turn} was shown as ${outcome} and is stored as ${turns.get(turn)}`,
      ),
  ];
}

/** I6: later turns never carry an older epoch. */
async function oldEpochs(rows: Rows): Promise<string[]> {
  const older = await rows<{ id: string }>(
    `select later.id from turn later join turn earlier on earlier.session = later.session
     and earlier.started_at < later.started_at and earlier.epoch > later.epoch`,
  );
  return older.map(({ id }) => `epoch: turn ${id} was written with an older epoch than one before it`);
}

/** I5 and the event log: cursors go on; roles alternate in every prefix, and each call has its result. */
async function brokenHistories({ place }: Disk, sessions: readonly SessionId[]): Promise<string[]> {
  await using store = await openStoreAt(place, {});
  const found: string[] = [];
  for (const session of sessions) {
    found.push(...(await brokenCursors(store, session)));
    const turns = numberedTurns(await store.sessions.turns(session), await store.sessions.messages(session));
    const records = turns.map(({ turn, rows }) => ({ turn, messages: rows.map(({ message }) => message) }));
    for (const prefix of prefixes(records)) {
      const reason = validHistory([...history(prefix), { role: "user", content: "what comes next" }]);
      if (reason !== undefined) found.push(`history of ${session}: ${reason}`);
    }
  }
  return found;
}

function* prefixes(records: readonly TurnRecord[]): Iterable<readonly TurnRecord[]> {
  for (let length = 1; length <= records.length; length += 1) yield records.slice(0, length);
}

/** I9: no process with this run's mark is alive. */
function orphans(marker: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => environmentOf(pid).includes(`${marker}=1`))
    .map((pid) => `orphan: process ${pid} is alive`);
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}
