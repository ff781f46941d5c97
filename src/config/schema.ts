import * as z from "zod";
import { type FileSettings, settings } from "./keys.ts";
import { type Section, type Setting, isSection } from "./setting.ts";
import type { Content } from "./source.ts";
import { valueTypes } from "./value-types.ts";

/**
 * Whether a file has the shape that `keys.ts` describes. Unknown keys pass: they get a warning elsewhere. Only the
 * sections that are written are made into a schema, and none is compiled, because a start reads its settings once.
 */
export function checkShape(content: Content): z.ZodSafeParseResult<FileSettings> {
  const written = Object.entries(settings).filter(([name]) => Object.hasOwn(content, name));
  const shape = map(written.map(([name, node]) => [name, schemaOf(node)]));
  return shape.safeParse(content, { jitless: true }) as z.ZodSafeParseResult<FileSettings>;
}

export function schemaOf(node: Setting | Section): z.ZodType {
  if (!isSection(node)) return valueType(node.type);
  const entries = Object.entries(node.keys).map(([name, key]) => {
    const value = schemaOf(key);
    return [name, "required" in key ? value : z.exactOptional(value)] as const;
  });
  const one = node.loose === true ? map(entries).loose() : map(entries);
  if (node.list !== undefined) return z.array(one, node.list);
  if (node.names === undefined) return one;
  return z.record(valueTypes[node.names], one, "a map of names to settings");
}

const map = (entries: readonly (readonly [string, z.ZodType])[]) =>
  z.object(Object.fromEntries(entries), "a map");

function valueType(type: Setting["type"]): z.ZodType {
  if (typeof type === "string") return valueTypes[type];
  return z.enum(type, `${type.slice(0, -1).join(", ")} or ${type.at(-1)}`);
}
