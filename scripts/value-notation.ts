import { z } from "zod";

type Schema = z.core.JSONSchema.BaseSchema;

/** What a schema allows, in one line as people write it down: `{ limit: number, cwd?: text }`. */
export const notation = (schema: z.ZodType): string =>
  written(z.toJSONSchema(schema, { unrepresentable: "any", io: "input" }) as Schema);

function written(schema: Schema): string {
  const { type, enum: values, const: only, pattern, items, anyOf, oneOf, $ref } = schema;
  const choices = (anyOf ?? oneOf) as readonly Schema[] | undefined;
  if ($ref !== undefined) return "json";
  if (choices !== undefined) return [...new Set(choices.map(written))].join(" | ");
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (only !== undefined) return JSON.stringify(only);
  if (type === "object") return fieldsOf(schema);
  if (type === "array") return `[${items === undefined ? "" : written(items as Schema)}]`;
  if (type === "string") return /^\^[a-z]+_\.\*$/.test(pattern ?? "") ? `${pattern?.slice(1, -2)}…` : "text";
  return type === "integer" ? "number" : String(type ?? "json");
}

function fieldsOf({ properties = {}, required = [], additionalProperties: others }: Schema): string {
  const fields = Object.entries(properties).map(
    ([name, value]) => `${name}${required.includes(name) ? "" : "?"}: ${written(value as Schema)}`,
  );
  if (typeof others === "object" && Object.keys(others).length > 0)
    fields.push(`NAME: ${written(others as Schema)}`);
  if (typeof others === "object" && Object.keys(others).length === 0) fields.push("…");
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}
