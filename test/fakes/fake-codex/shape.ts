import { isObject } from "../../codex-schema/json-schema.ts";

/** Throws if the value is not of the shape, with its place in the script. */
export type Shape = (value: unknown, place: string) => void;

export class ShapeError extends Error {}

export const any: Shape = () => {};

export const string: Shape = (value, place) => must(typeof value === "string", place, "a string", value);
export const boolean: Shape = (value, place) =>
  must(typeof value === "boolean", place, "true or false", value);
export const yes: Shape = (value, place) => must(value === true, place, "true", value);
export const integer: Shape = (value, place) => must(Number.isInteger(value), place, "an integer", value);
export const count: Shape = (value, place) =>
  must(Number.isInteger(value) && (value as number) >= 0, place, "an integer of 0 or more", value);
export const record: Shape = (value, place) => must(isObject(value), place, "an object", value);

export const regex: Shape = (value, place) => {
  string(value, place);
  try {
    void new RegExp(value as string);
  } catch {
    throw new ShapeError(`${place} is no regular expression: ${String(value)}`);
  }
};

export const oneOf =
  (...values: readonly unknown[]): Shape =>
  (value, place) =>
    must(
      values.includes(value),
      place,
      `one of ${values.map((each) => JSON.stringify(each)).join(", ")}`,
      value,
    );

export const either =
  (...shapes: readonly Shape[]): Shape =>
  (value, place) => {
    const failures = shapes.map((shape) => failure(() => shape(value, place)));
    if (!failures.includes(undefined)) throw failures[0];
  };

export const list =
  (shape: Shape): Shape =>
  (value, place) => {
    must(Array.isArray(value), place, "a list", value);
    for (const [at, item] of (value as unknown[]).entries()) shape(item, `${place}[${at}]`);
  };

/** Keys with a `?` may be left out. Others than those listed are refused, so that a misspelled one is not lost. */
export function object(fields: Readonly<Record<string, Shape>>): Shape {
  const shapes = new Map(Object.entries(fields).map(([key, shape]) => [key.replace(/\?$/, ""), shape]));
  return (value, place) => {
    record(value, place);
    const given = value as Readonly<Record<string, unknown>>;
    for (const key of Object.keys(given))
      if (!shapes.has(key))
        throw new ShapeError(`${place} has "${key}"; known are ${[...shapes.keys()].join(", ")}`);
    for (const [key, shape] of shapes) {
      if (given[key] !== undefined) shape(given[key], `${place}.${key}`);
      if (given[key] === undefined && Object.hasOwn(fields, key))
        throw new ShapeError(`${place}.${key} is missing`);
    }
  };
}

/** An object with one of these keys, which decides about the others. */
export const tagged =
  (branches: Readonly<Record<string, Shape>>): Shape =>
  (value, place) => {
    record(value, place);
    const tag = Object.keys(branches).find((key) => Object.hasOwn(value as object, key));
    const shape = tag === undefined ? undefined : branches[tag];
    if (shape === undefined)
      throw new ShapeError(
        `${place} is none of the known steps (${Object.keys(branches).join(", ")}): ${shown(value)}`,
      );
    shape(value, place);
  };

function must(holds: boolean, place: string, what: string, value: unknown): void {
  if (!holds) throw new ShapeError(`${place} must be ${what}, not ${shown(value)}`);
}

function failure(check: () => void): unknown {
  try {
    check();
    return undefined;
  } catch (error) {
    return error;
  }
}

const shown = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 80);
