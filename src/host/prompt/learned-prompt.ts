import { createHash } from "node:crypto";
import type { SessionId } from "../../core/ids.ts";
import type { Revision } from "../../core/learning.ts";
import { short } from "../../core/plain-text.ts";
import type { Session } from "../../core/session.ts";
import type { LearnedPrompt } from "../../learning/index.ts";
import type { FoundAtStart } from "../../store/schema/opened-turn.ts";
import type { Store } from "../../store/store.ts";

/** A part of what a model is told of memory and skills. It begins with its heading, `## …`. */
export type LearnedPart = { readonly name: string; readonly text: string };

export type LearnedSources = {
  readonly store: Pick<Store, "snapshots" | "revisions">;
  /** The parts as they are now, for work in a folder; each begins with its heading. Empty ones are left out. */
  readonly parts: (cwd: string) => Promise<readonly string[]>;
  readonly projectOf: (cwd: string) => Promise<string>;
  /** What in a text tries to steer whoever reads it. */
  readonly suspicion: (text: string) => string | undefined;
};

export interface LearnedPrompts {
  /** With a session's first turn it is settled for all of them, on every runtime and in every process. */
  of(session: Session, found?: FoundAtStart): Promise<LearnedPrompt>;
  /** Is it known here that there was nothing to tell the session? */
  toldNothing(session: SessionId): boolean;
  /** What changed since it was settled, each a line. */
  news(session: Session): Promise<readonly string[]>;
  /** What it is or would be, without settling it. */
  preview(place: Pick<Session, "cwd"> & { readonly id?: SessionId }): Promise<readonly LearnedPart[]>;
}

const most = { remembered: 1000, news: 8, lineChars: 240, revisions: 100 } as const;

export function learnedPrompts(sources: LearnedSources): LearnedPrompts {
  const { snapshots } = sources.store;
  const nothing = new Set<SessionId>();
  const now = async (cwd: string): Promise<string> =>
    (await sources.parts(cwd)).filter((part) => part !== "").join("\n\n");
  return {
    toldNothing: (id) => nothing.has(id),
    async of(session, found) {
      const { id, cwd } = session;
      const kept = found === undefined ? await snapshots.get(id) : found.snapshot;
      const frozen = kept ?? (await snapshots.keep(id, await now(cwd)));
      if (frozen === "") remember(nothing, id);
      return { frozen, news: found?.hasRevisions === false ? [] : await newsOf(sources, session) };
    },
    news: (session) => newsOf(sources, session),
    async preview({ id, cwd }) {
      const known = id === undefined ? undefined : await snapshots.get(id);
      return partsOf(known ?? (await now(cwd)));
    },
  };
}

function remember(some: Set<SessionId>, id: SessionId): void {
  if (some.size >= most.remembered) some.clear();
  some.add(id);
}

/** Where each begins is known by its heading: entries are indented, and descriptions stand in lists. */
const partsOf = (frozen: string): readonly LearnedPart[] =>
  frozen
    .split(/^(?=## )/m)
    .filter((text) => text.trim() !== "")
    .map((text) => ({ name: nameOf(text), text: text.trimEnd() }));

const names = [
  ["## Memory of the person", "user"],
  ["## Memory of the project", "project memory"],
  ["## Skills", "skills"],
] as const;

const nameOf = (text: string): string => names.find(([heading]) => text.startsWith(heading))?.[1] ?? "memory";

/** What others have changed since the session began. Its own model knows what it did itself. */
async function newsOf(sources: LearnedSources, session: Session): Promise<readonly string[]> {
  const { id, cwd, createdAt } = session;
  const rows = await sources.store.revisions.list({
    since: createdAt,
    states: ["active"],
    limit: most.revisions,
  });
  const foreign = rows.filter((row) => (row.session !== id || row.by !== "agent") && !isForgotten(row));
  if (foreign.length === 0) return [];
  const own = createHash("sha256")
    .update(await sources.projectOf(cwd))
    .digest("hex")
    .slice(0, 12);
  const isOurs = ({ file }: Revision): boolean =>
    !file.startsWith("memories/projects/") || file.startsWith(`memories/projects/${own}/`);
  const lines = foreign.filter(isOurs).flatMap((row) => newsLine(row, sources.suspicion));
  return lines.slice(0, most.news).toReversed();
}

/** Its texts were removed: there is nothing to tell. */
const isForgotten = ({ change, summary }: Revision): boolean => change === null && summary === "(forgotten)";

function newsLine(row: Revision, suspicion: LearnedSources["suspicion"]): readonly string[] {
  const { kind, file, before, after, summary } = row;
  if (kind === "skill")
    return [short(`Skills changed since this conversation began: ${summary}`, most.lineChars)];
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const added = fresh.filter((line) => !old.includes(line)).join(" ");
  const removed = old.filter((line) => !fresh.includes(line)).join(" ");
  const gone = suspicion(removed) === undefined ? removed : "";
  if ((added === "" && gone === "") || suspicion(added) !== undefined) return [];
  const what = [
    ...(added === "" ? [] : [`now: ${added}`]),
    ...(gone === "" ? [] : [`no longer: ${short(gone, 80)}`]),
  ];
  return [
    short(`Memory changed since this conversation began (${file}): ${what.join("; ")}`, most.lineChars),
  ];
}

const linesOf = (text = ""): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && line !== "§" && !line.startsWith("<!--"));
