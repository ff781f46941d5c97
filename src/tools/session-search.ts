import { z } from "zod";
import { type SessionId, asId, isSessionId } from "../core/ids.ts";
import type { SearchHit, SearchQuery, Session, StoredMessage } from "../core/session.ts";
import { hitLines, messageLines, sessionLine } from "./session-text.ts";
import { type Tool, type ToolContext, type ToolResult, failed } from "./tool.ts";

/** Where earlier conversations are found. */
export type SessionSources = {
  search(query: SearchQuery): Promise<readonly SearchHit[]>;
  /** Newest activity first. */
  recent(limit: number): Promise<readonly Session[]>;
  /** In order; with a window only the messages within `radius` of the one with that seq. */
  messages(
    session: SessionId,
    window?: { readonly around: number; readonly radius: number },
  ): Promise<readonly StoredMessage[]>;
};

const schema = z.object({
  query: z.string().max(500).optional().describe("Words to look for"),
  session_id: z.string().optional().describe("Read this session, or look for the words only in it"),
  around: z
    .int()
    .min(0)
    .max(1_000_000_000)
    .optional()
    .describe("With session_id: number (#) of the message to show the surroundings of"),
  limit: z.int().min(1).max(50).optional().describe("How many hits, messages or sessions"),
  sort: z.enum(["best", "newest", "oldest"]).optional().describe("Order of hits (default best)"),
  role: z
    .enum(["user", "assistant", "tool"])
    .optional()
    .describe("Only messages of this role (default: user and assistant)"),
});
type Args = z.infer<typeof schema>;

/** What is asked for follows from which arguments are there. */
export function sessionSearchTool(sources: SessionSources): Tool<typeof schema> {
  return {
    name: "session_search",
    toolset: "session_search",
    description:
      "Look into earlier conversations. With query: find messages. With session_id: read that session; with around too: " +
      "the messages around that one. With nothing: the latest sessions. The current session and what it delegated are left out unless named.",
    schema,
    effect: "none",
    timeoutMs: 15_000,
    maxOutputChars: 40_000,
    async run(args, { session: current, mask }) {
      const look: Look = { sources, mask };
      const named = args.session_id?.trim() ?? "";
      if (named !== "" && !isSessionId(named)) {
        return failed(`"${named}" is not a session id; they begin with ses_.`);
      }
      const session = named === "" ? undefined : asId<"ses">(named);
      const query = args.query?.trim() ?? "";
      if (query !== "") return find(look, query, args, session, current);
      if (session !== undefined && args.around !== undefined) {
        return scroll(look, session, args.around, args.limit);
      }
      if (session !== undefined) return read(look, session, args.limit);
      if (args.around !== undefined) {
        return failed("around needs a session_id: message numbers belong to a session.");
      }
      return recent(sources, current, args.limit);
    },
  };
}

type Look = { readonly sources: SessionSources; readonly mask: ToolContext["mask"] };

async function find(
  { sources, mask }: Look,
  text: string,
  args: Args,
  session: SessionId | undefined,
  current: SessionId,
): Promise<ToolResult> {
  const limit = args.limit ?? 3;
  const hits = await sources.search({
    text,
    // Several hits of one session are shown as one, so more are fetched than shown.
    limit: session === undefined ? limit * 4 : limit,
    roles: args.role === undefined ? ["user", "assistant"] : [args.role],
    ...(session === undefined ? { excludeSession: current } : { session }),
    ...(args.sort === undefined ? {} : { sort: args.sort }),
  });
  const shown = (session === undefined ? firstOfEach(hits) : hits).slice(0, limit);
  const [best] = shown;
  if (best === undefined) return found(`Nothing was found for "${text}". Try other or fewer words.`);
  const { before, near, after } = await surroundings(sources, best);
  const rows = await Promise.all(
    shown.map(async (hit) => (await sources.messages(hit.session, { around: hit.seq, radius: 0 }))[0]),
  );
  return found(
    [
      ...shown.flatMap((hit, at) => hitLines(hit, at + 1, rows[at], mask)),
      "",
      `Around the first of them, in ${best.session}:`,
      ...messageLines(near, mask, best.seq),
      ...part("How that session began:", before, mask),
      ...part("How it ended:", after, mask),
      "",
      "To see more, give session_id, and around with the number after #.",
    ].join("\n"),
  );
}

const part = (heading: string, messages: readonly StoredMessage[], mask: Look["mask"]): readonly string[] =>
  messages.length === 0 ? [] : ["", heading, ...messageLines(messages, mask)];

/** What a hit is about is often said at the beginning, and what came of it at the end. */
async function surroundings(sources: SessionSources, { session, seq }: SearchHit) {
  const [near, first, last] = await Promise.all([
    sources.messages(session, { around: seq, radius: 5 }),
    sources.messages(session, { around: 0, radius: 3 }),
    sources.messages(session, { around: Number.MAX_SAFE_INTEGER, radius: 3 }),
  ]);
  const from = near[0]?.seq ?? seq;
  const to = near.at(-1)?.seq ?? seq;
  return {
    near,
    before: first.filter((row) => row.seq < from),
    after: last.filter((row) => row.seq > to),
  };
}

function firstOfEach(hits: readonly SearchHit[]): readonly SearchHit[] {
  const seen = new Set<SessionId>();
  return hits.filter(({ session }) => !seen.has(session) && seen.add(session));
}

async function scroll(
  { sources, mask }: Look,
  session: SessionId,
  around: number,
  limit = 11,
): Promise<ToolResult> {
  const radius = Math.max(1, Math.floor(limit / 2));
  const near = await sources.messages(session, { around, radius });
  if (near.length === 0) {
    return failed(`${session} has no messages around #${around}, or there is no such session.`);
  }
  return found([`${session}, around #${around}:`, ...messageLines(near, mask, around)].join("\n"));
}

async function read({ sources, mask }: Look, session: SessionId, limit = 30): Promise<ToolResult> {
  const all = await sources.messages(session);
  if (all.length === 0) return failed(`There is no session ${session}, or nothing was said in it.`);
  const head = all.slice(0, all.length > limit ? Math.floor(limit / 4) : limit);
  const tail = all.slice(Math.max(head.length, all.length - (limit - head.length)));
  const missing = all.length - head.length - tail.length;
  const gap = missing > 0 ? [`[${missing} messages left out; see them with around]`] : [];
  return found([`${session}:`, ...messageLines(head, mask), ...gap, ...messageLines(tail, mask)].join("\n"));
}

async function recent(sources: SessionSources, current: SessionId, limit = 10): Promise<ToolResult> {
  const sessions = (await sources.recent(limit + 1)).filter(({ id }) => id !== current).slice(0, limit);
  if (sessions.length === 0) return found("There are no earlier sessions.");
  return found(["Latest sessions:", ...sessions.map(sessionLine)].join("\n"));
}

const found = (output: string): ToolResult => ({ ok: true, output });
