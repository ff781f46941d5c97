import { type Fields, listOf } from "../../../core/json.ts";

export { type Fields, fieldsOf, listOf } from "../../../core/json.ts";

export const textsOf = (value: unknown): readonly string[] =>
  listOf(value).filter((entry) => typeof entry === "string");

export const textIn = (fields: Fields, key: string): string | undefined => {
  const value = fields[key];
  return typeof value === "string" ? value : undefined;
};

/** An id must say something: an empty one is none. */
export const idIn = (fields: Fields, key: string): string | undefined => textIn(fields, key) || undefined;

export const numberIn = (fields: Fields, key: string): number | undefined => {
  const value = fields[key];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
};

export const flagIn = (fields: Fields, key: string): boolean | undefined => {
  const value = fields[key];
  return typeof value === "boolean" ? value : undefined;
};
