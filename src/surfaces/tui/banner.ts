import { shownText, within, wrapped } from "./transcript/shown-text.ts";
import type { Paint, Theme } from "./theme.ts";

/** What is known when the screen opens; the rest comes a moment later. */
export type BannerFacts = {
  readonly version: string;
  readonly cwd: string;
  readonly warnings: readonly string[];
  readonly model?: string;
  readonly provider?: string;
  readonly runtime?: string;
  readonly codexVersion?: string;
  readonly profile?: string;
  readonly tools?: number;
  readonly skills?: number;
  /** The title or id of the session that is gone on with. */
  readonly resumed?: string;
};

/** Who runs here, on what, and what is wrong with it. Long lines are broken, never cut. */
export function bannerLines(facts: BannerFacts, theme: Theme, width: number): readonly string[] {
  const { version, cwd, model, provider, profile, resumed, warnings } = facts;
  const isNamed = profile !== undefined && profile !== "default";
  const lines: readonly (readonly [text: string, paint: Paint])[] = [
    [`Talaria ${version}`, (text) => theme.strong(theme.accent(text))],
    ...plain(
      model === undefined ? undefined : `Model: ${model}${provider === undefined ? "" : ` (${provider})`}`,
    ),
    ...plain(runtimeText(facts)),
    ...plain(`Folder: ${cwd}`),
    ...plain(countsText(facts)),
    ...plain(isNamed ? `Profile: ${profile}` : undefined),
    ...plain(resumed === undefined ? undefined : `Session: ${resumed} (resumed)`),
    ...warnings.map((warning) => [`! ${warning}`, theme.warn] as const),
    ["/help commands · Ctrl+C stop · Ctrl+D leave", theme.faint],
  ];
  return lines.flatMap(([text, paint]) => broken(text, width).map((line) => within(paint(line), width)));
}

const plain = (text: string | undefined): readonly (readonly [string, Paint])[] =>
  text === undefined ? [] : [[text, (shown) => shown]];

function runtimeText({ runtime, codexVersion }: BannerFacts): string | undefined {
  if (runtime !== "codex") return runtime === undefined ? undefined : `Runtime: ${runtime}`;
  const version = codexVersion === undefined ? "" : ` ${codexVersion}`;
  return `Runtime: codex app-server${version} (commands, files and MCP run inside codex)`;
}

function countsText({ tools, skills }: BannerFacts): string | undefined {
  const counts = [
    ...(tools === undefined ? [] : [`Tools: ${tools}`]),
    ...(skills === undefined ? [] : [`Skills: ${skills}`]),
  ];
  return counts.length === 0 ? undefined : counts.join(" · ");
}

/** What goes on in the next line stands a little to the right. */
function broken(text: string, width: number): readonly string[] {
  const indent = width > 20 ? "  " : "";
  const [first = "", ...rest] = wrapped(shownText(text).replaceAll("\n", " "), width);
  if (rest.length === 0) return [first];
  const others = wrapped(rest.join(" "), width - indent.length);
  return [first, ...others.map((line) => indent + line)];
}
