import type { ListSessionsRequest, ListSessionsResponse } from "@agentclientprotocol/sdk";
import { Refusal, type Sessions } from "../../core/host.ts";

const pageSize = 50;

/** Sessions of every surface, newest first, page by page. The cursor is the place in the list. */
export async function sessionList(
  sessions: Pick<Sessions, "list">,
  { cwd, cursor }: ListSessionsRequest,
): Promise<ListSessionsResponse> {
  const from = cursor === undefined || cursor === null ? 0 : Number(cursor);
  if (!Number.isSafeInteger(from) || from < 0)
    throw new Refusal("usage", `There is no page "${cursor}".`, "Begin without a cursor.");
  const filter = { limit: from + pageSize + 1, ...(cwd === undefined || cwd === null ? {} : { cwd }) };
  const rows = (await sessions.list(filter)).slice(from);
  return {
    sessions: rows.slice(0, pageSize).map(({ id, cwd: folder, title, preview, updatedAt }) => ({
      sessionId: id,
      cwd: folder,
      title: title ?? preview ?? null,
      updatedAt: new Date(updatedAt).toISOString(),
    })),
    ...(rows.length > pageSize ? { nextCursor: String(from + pageSize) } : {}),
  };
}
