import type { SessionId } from "../../core/ids.ts";
import { isInnerHost, hostPortOf } from "../net/guard.ts";
import { webAddress } from "../net/guarded-fetch.ts";
import type { ApprovalRequest, ToolContext } from "../tool.ts";

/** What decides whether a page may be fetched without a question. */
export type PageAccess = {
  /** Did the address come from the person, or from a search or a page of this session? */
  readonly isKnown: (session: SessionId, url: string) => Promise<boolean>;
  /** Does one of the person's keys occur in the text? */
  readonly hasSecret: (text: string) => boolean;
  readonly askUnknown: boolean;
  /** `host:port` each. */
  readonly allowPrivate: readonly string[];
};

/** Fetching tells the other side the whole address, so one that the model made up is asked about, once for its host. */
export async function pageQuestion(
  tool: string,
  urls: readonly string[],
  access: PageAccess,
  { session, cwd }: Pick<ToolContext, "session" | "cwd">,
): Promise<ApprovalRequest> {
  if (urls.some((url) => holdsSecret(url, access))) {
    return { refused: "one of the addresses holds a key or password of the person. Leave it out." };
  }
  const hosts = await unknownHosts(urls, access, session);
  const about = { cwd, action: { kind: "tool" }, summary: `${tool} ${urls.join(" ")}` } as const;
  const [host, ...others] = hosts;
  if (host === undefined) return { ...about, effect: "none" };
  return {
    ...about,
    effect: "external",
    args: others.length === 0 ? { host } : { hosts },
    reason:
      "This address came neither from you nor from a search or a page read before. " +
      `To fetch it tells ${hosts.join(", ")} whatever stands in it.`,
  };
}

/** Also where it is spelt with percent signs. */
function holdsSecret(url: string, { hasSecret }: PageAccess): boolean {
  return [url, url.replaceAll("+", " ")].some((text) => hasSecret(text) || hasSecret(decoded(text)));
}

function decoded(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (codes) =>
    Buffer.from(codes.replaceAll("%", ""), "hex").toString("utf8"),
  );
}

/** Of an address that cannot be fetched at all nothing is told to anybody. */
async function unknownHosts(
  urls: readonly string[],
  { isKnown, askUnknown, allowPrivate }: PageAccess,
  session: SessionId,
): Promise<readonly string[]> {
  if (!askUnknown) return [];
  const allowed = new Set(allowPrivate.map((entry) => entry.toLowerCase()));
  const hosts = await Promise.all(
    urls.map(async (written) => {
      const url = webAddress(written);
      if ("why" in url || allowed.has(hostPortOf(url)) || isInnerHost(url.hostname)) return [];
      return (await isKnown(session, url.href)) ? [] : [url.host];
    }),
  );
  return [...new Set(hosts.flat())].toSorted();
}
