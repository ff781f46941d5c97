import { isObject, type Schema } from "./json-schema.ts";

const understood = ["type", "enum", "minimum", "minLength", "required"];
const withSchema = ["items", "additionalProperties"];
const withSchemas = ["oneOf", "anyOf", "allOf"];
const withNamedSchemas = ["properties", "definitions"];
/** Words for people and code generators. `format` is not checked. */
const ignored = ["$schema", "$ref", "title", "description", "default", "format"];

const known = new Set([...understood, ...withSchema, ...withSchemas, ...withNamedSchemas, ...ignored]);

/** Keywords that the validator would silently pass over, each with its place. Anything here means that it must learn. */
export function unknownKeywords(schema: Schema, path = "#"): string[] {
  if (typeof schema === "boolean") return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const place = `${path}/${keyword}`;
    if (!known.has(keyword)) return [place];
    if (withSchema.includes(keyword))
      return Array.isArray(value) ? [`${place} (a list)`] : unknownKeywords(value as Schema, place);
    if (withSchemas.includes(keyword))
      return (value as Schema[]).flatMap((part, at) => unknownKeywords(part, `${place}/${at}`));
    return withNamedSchemas.includes(keyword) ? inNamed(value, place) : [];
  });
}

/** The bundle keeps its newer types in a folder among the definitions: a map where a schema would be expected. */
function inNamed(value: unknown, path: string): string[] {
  if (!isObject(value)) return [path];
  return Object.entries(value).flatMap(([name, schema]) =>
    name === "v2" && path === "#/definitions"
      ? inNamed(schema, `${path}/v2`)
      : unknownKeywords(schema as Schema, `${path}/${name}`),
  );
}
