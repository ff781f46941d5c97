import * as z from "zod";
import { isPlainObject } from "../core/json.ts";
import { type FileSettings, settings } from "./keys.ts";
import { type Section, type Setting, isSection } from "./setting.ts";
import type { Content } from "./source.ts";
import { valueTypes } from "./value-types.ts";

/**
 * Whether a file has the shape that `keys.ts` describes. Unknown keys pass: they get a warning elsewhere. A start reads
 * its settings once: only what is written becomes part of the schema, and nothing is compiled.
 */
export function checkShape(content: Content): z.ZodSafeParseResult<FileSettings> {
  const shape = schemaOf({ keys: settings }, [content]);
  return shape.safeParse(content, { jitless: true }) as z.ZodSafeParseResult<FileSettings>;
}

/** For these values, all of one place: what none of them has is left out. */
export function schemaOf(node: Setting | Section, values: readonly unknown[]): z.ZodType {
  if (!isSection(node)) return valueType(node.type);
  if (node.list !== undefined) return z.array(map(node, values.flat()), node.list);
  if (node.names === undefined) return map(node, values);
  const named = values.filter(isPlainObject).flatMap((value) => Object.values(value));
  return z.record(valueTypes[node.names](), map(node, named), "a map of names to settings");
}

function map({ keys, loose }: Section, values: readonly unknown[]): z.ZodType {
  const maps = values.filter(isPlainObject);
  const shape = Object.entries(keys).flatMap(([name, key]) => {
    const written = maps.filter((value) => Object.hasOwn(value, name)).map((value) => value[name]);
    if ("required" in key) return [[name, schemaOf(key, written)] as const];
    return written.length === 0 ? [] : [[name, z.exactOptional(schemaOf(key, written))] as const];
  });
  return (loose === true ? z.looseObject : z.object)(Object.fromEntries(shape), "a map");
}

function valueType(type: Setting["type"]): z.ZodType {
  if (typeof type === "string") return valueTypes[type]();
  return z.enum(type, `${type.slice(0, -1).join(", ")} or ${type.at(-1)}`);
}
