import { literalSource } from "../files/glob.ts";
import { plainName } from "./definition.ts";
import type { ServerSettings } from "./settings.ts";

/** May this tool of the server be offered at all? With `include`, `exclude` is not looked at. */
export function isIncluded(
  { include, exclude }: Pick<ServerSettings, "include" | "exclude">,
  tool: string,
): boolean {
  const name = plainName(tool);
  if (include !== undefined) return include.some((glob) => pattern(glob).test(name));
  return !exclude.some((glob) => pattern(glob).test(name));
}

/** Names of tools have no folders: `*` stands for anything, `?` for one character. */
const pattern = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .split(/([*?])/)
      .map((part) => wild[part] ?? literalSource(part))
      .join("")}$`,
    "su",
  );

const wild: Readonly<Record<string, string>> = { "*": ".*", "?": "." };
