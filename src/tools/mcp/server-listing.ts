import type { Json } from "../../core/json.ts";
import type { ListedMcpServer } from "../../core/tooling.ts";
import { unifiedDiff } from "../files/unified-diff.ts";
import { type ToolRecord, plainName } from "./definition.ts";
import { foreignLine, foreignText } from "./foreign-text.ts";
import type { Pin } from "./pins.ts";
import type { McpServer } from "./server.ts";
import { isIncluded, type ConfiguredServer } from "./settings.ts";

/** A server as people see it in a list. `server` is there when it is usable. `added`: tools that it did not have before. */
export function serverListing(
  one: ConfiguredServer,
  server: McpServer | undefined,
  pins: readonly Pin[],
  added: readonly string[] = [],
): ListedMcpServer {
  const { name } = one;
  if (one.is === "off") return { name, state: "off", tools: [] };
  if (one.is === "unusable") return { name, state: "failed", detail: one.why, tools: [] };
  const { state, detail } = server?.state() ?? { state: "not started" as const };
  const fresh = added.map((tool) => foreignLine(tool, 100)).join(", ");
  const notes = [
    ...(detail === undefined ? [] : [detail]),
    ...one.settings.notes,
    ...(fresh === "" ? [] : [`new and offered: ${fresh}`]),
  ].join("; ");
  const offer = server?.offer();
  const own = pins.filter((pin) => pin.server === name);
  return {
    name,
    state,
    ...(notes === "" ? {} : { detail: notes }),
    tools: [
      ...own.map((pin) => listedTool(one.settings, pin, offer?.tools)),
      ...(offer?.leftOut ?? []).map((left) => ({
        name: `${foreignLine(left.name, 100)} (${left.why})`,
        state: "left out" as const,
      })),
    ],
  };
}

function listedTool(
  settings: McpServer["settings"],
  pin: Pin,
  offered: readonly ToolRecord[] | undefined,
): ListedMcpServer["tools"][number] {
  const name = foreignLine(plainName(pin.name), 100);
  if (!isIncluded(settings, pin.name)) return { name, state: "left out" };
  if (offered?.some((tool) => tool.name === pin.name) === false) return { name, state: "gone" };
  if (pin.changed === undefined) return { name, state: "on" };
  const diff = unifiedDiff(name, pretty(pin.definition), pretty(pin.changed.definition)).text;
  return { name, state: "changed", diff: foreignText(diff, 20_000), mark: markOf(pin.changed.hash) };
}

/** Long enough that nobody finds another definition with it by trying. */
export const markOf = (hash: string): string => hash.slice(0, 16);

const pretty = (definition: Json): string => `${JSON.stringify(definition, null, 2)}\n`;
