import type { Diff } from "../../core/host.ts";
import type { SessionId } from "../../core/ids.ts";
import type { CallItem } from "../../core/items.ts";
import type { Store } from "../../store/store.ts";

/** What calls of the last turn, or of all turns, have changed, one after the other. */
export async function callDiff(store: Store, session: SessionId, what: "turn" | "session"): Promise<Diff> {
  const turns = await store.sessions.turns(session);
  const meant = what === "turn" ? turns.slice(-1) : turns;
  if (meant.length === 0) return { text: "", note: "No turn has run in this session yet." };
  const items = (await Promise.all(meant.map(({ id }) => store.turns.items(id)))).flat();
  const calls = items.filter((item) => item.kind === "call");
  const text = calls.flatMap(({ ok, diff }) => (ok && diff !== undefined ? [ended(diff)] : [])).join("");
  const note = [
    ...(text === "" ? [`No call of this ${what} has changed a file in a way that can be seen.`] : []),
    ...commandNote(calls),
  ].join(" ");
  return { text, ...(note === "" ? {} : { note }) };
}

const ended = (diff: string): string => (diff.endsWith("\n") ? diff : `${diff}\n`);

/** Tools that run commands, ours and codex's: nobody knows what those change. */
const runners: ReadonlySet<string> = new Set(["terminal", "exec_command"]);

function commandNote(calls: readonly CallItem[]): readonly string[] {
  const count = calls.filter(({ tool }) => runners.has(tool)).length;
  if (count === 0) return [];
  const many = count === 1 ? "1 command ran, and what it" : `${count} commands ran, and what they`;
  return [`${many} changed cannot be seen here; \`/diff\` shows the folder, if it is in a git repository.`];
}
