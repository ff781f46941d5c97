import { redactor } from "../../../lib/redact/redact.ts";

/** What codex tells the person, in its own words. */
export type Notices = {
  readonly texts: readonly string[];
  /** Looks whether a notification is one. */
  see(method: string, params: unknown): void;
};

const most = 50;

export function notices(): Notices {
  const texts: string[] = [];
  return {
    texts,
    see(method, params) {
      const notice = noticeText(method, params);
      if (notice && !texts.includes(notice) && texts.length < most) texts.push(notice);
    },
  };
}

function noticeText(method: string, params: unknown): string | undefined {
  if (typeof params !== "object" || params === null) return undefined;
  const { summary, details, path, range, message, threadId } = params as Record<string, unknown>;
  if (method === "warning" && typeof threadId !== "string") return text(message);
  if (method !== "configWarning") return undefined;
  const where = typeof path === "string" ? `(${path}${lineOf(range)})` : undefined;
  const said = [text(summary), text(details), where].filter((part) => part !== undefined).join(" ");
  return withoutOurSettings(said);
}

/** A setting of ours that this codex does not know is nothing that a person could change. */
function withoutOurSettings(said: string): string | undefined {
  const lines = said.split("\n");
  const rest = lines.filter((line) => !/^\s*session-flags: .* is ignored\.$/.test(line));
  if (rest.length === lines.length) return said;
  return rest.some((line) => /: .* is ignored\.$/.test(line)) ? rest.join("\n") : undefined;
}

/** Long enough for a person; a message may have megabytes. */
const longest = 1_000;

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? redactor()(value).slice(0, longest) : undefined;

function lineOf(range: unknown): string {
  const line = (range as { start?: { line?: unknown } } | undefined)?.start?.line;
  return typeof line === "number" ? `:${line}` : "";
}
