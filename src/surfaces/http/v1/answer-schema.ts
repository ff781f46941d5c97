import { isPlainObject } from "../../../core/json.ts";
import { whyNoSchema } from "../../../core/json-schema.ts";

type Words = Readonly<Record<string, unknown>>;

/** Why answers cannot be held to this schema, with the place in it; `undefined`: they can. */
export const whyUncheckable = (schema: unknown): string | undefined => uncheckable(schema, schema, "#");

/** What is wrong with the text of an answer, or `undefined`. The schema is one that can be checked. */
export function whyUnfit(schema: unknown, text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "it is no JSON";
  }
  return fault({ root: schema, looks: { left: mostLooks }, depth: 0 }, schema, value, "");
}

/** Schemas that refer to themselves may be made to take for ever. */
const mostLooks = 200_000;
const deepest = 500;

const ownWords =
  "type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems required minProperties maxProperties $ref".split(
    " ",
  );
const forPeople =
  "$schema $id $comment title description default examples format deprecated readOnly writeOnly".split(" ");
const oneSchema = ["items", "additionalProperties", "not"];
const listOfSchemas = ["anyOf", "oneOf", "allOf"];
const namedSchemas = ["properties", "$defs", "definitions"];

function uncheckable(root: unknown, schema: unknown, at: string): string | undefined {
  if (typeof schema === "boolean") return undefined;
  const why = whyNoSchema(schema);
  if (why !== undefined) return `${at}: ${why}`;
  const words = schema as Words;
  const { $ref: ref } = words;
  if (ref !== undefined && referred(root, ref) === undefined) return `${at}/$ref: that is not in it`;
  for (const [word, value] of Object.entries(words)) {
    const inner = schemasIn(word, value);
    if (inner === undefined) return `${at}/${word}: no answer can be checked for that here`;
    for (const [name, each] of inner) {
      const wrong = uncheckable(root, each, `${at}/${word}${name}`);
      if (wrong !== undefined) return wrong;
    }
  }
  return undefined;
}

/** With where each is; `undefined`: nobody knows the word. */
function schemasIn(word: string, value: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (ownWords.includes(word) || forPeople.includes(word)) return [];
  if (oneSchema.includes(word)) return [["", value]];
  if (listOfSchemas.includes(word))
    return Array.isArray(value) ? value.map((each, at) => [`/${at}`, each] as const) : undefined;
  if (!namedSchemas.includes(word) || !isPlainObject(value)) return undefined;
  return Object.entries(value).map(([name, each]) => [`/${name}`, each] as const);
}

type Look = { readonly root: unknown; readonly looks: { left: number }; readonly depth: number };

function fault(from: Look, schema: unknown, value: unknown, at: string): string | undefined {
  if (schema === true) return undefined;
  const look = { ...from, depth: from.depth + 1 };
  if ((look.looks.left -= 1) < 0 || look.depth > deepest) return "it takes too long to look at it";
  if (schema === false) return `${at || "/"}: nothing is allowed there`;
  const words = schema as Words;
  return (
    ownFault(words, value, at || "/") ??
    choiceFault(look, words, value, at) ??
    partFault(look, words, value, at)
  );
}

function ownFault(words: Words, value: unknown, at: string): string | undefined {
  const { type, enum: choices, const: only } = words;
  if (type !== undefined && ![type].flat().some((each) => isOf(each, value)))
    return `${at}: it should be ${[type].flat().join(" or ")}, and is ${shown(value)}`;
  if (Array.isArray(choices) && !choices.some((each) => isSame(each, value)))
    return `${at}: it is none of ${shown(choices)}, but ${shown(value)}`;
  if (only !== undefined && !isSame(only, value)) return `${at}: it is not ${shown(only)}`;
  const measured = measures.find(
    ([word, of, isWrong]) => typeof words[word] === "number" && isWrong(of(value), words[word]),
  );
  return measured && `${at}: ${measured[0]} is ${String(words[measured[0]])}, and it is ${shown(value)}`;
}

type Measure = readonly [string, (value: unknown) => number, (is: number, limit: number) => boolean];

const itself = (value: unknown): number => (typeof value === "number" ? value : Number.NaN);
const length = (value: unknown): number => (typeof value === "string" ? [...value].length : Number.NaN);
const count = (value: unknown): number => (Array.isArray(value) ? value.length : Number.NaN);
const size = (value: unknown): number => (isPlainObject(value) ? Object.keys(value).length : Number.NaN);
const below = (is: number, limit: number): boolean => is < limit;
const above = (is: number, limit: number): boolean => is > limit;

/** What is of another kind has no measure: no comparison holds for it. */
const measures: readonly Measure[] = [
  ["minimum", itself, below],
  ["maximum", itself, above],
  ["exclusiveMinimum", itself, (is, limit) => is <= limit],
  ["exclusiveMaximum", itself, (is, limit) => is >= limit],
  ["multipleOf", itself, (is, step) => Math.abs(is / step - Math.round(is / step)) > 1e-9],
  ["minLength", length, below],
  ["maxLength", length, above],
  ["minItems", count, below],
  ["maxItems", count, above],
  ["minProperties", size, below],
  ["maxProperties", size, above],
];

function choiceFault(look: Look, words: Words, value: unknown, at: string): string | undefined {
  const { $ref, allOf = [], anyOf, oneOf, not } = words;
  const wrong = (schema: unknown): string | undefined => fault(look, schema, value, at);
  const all = [...($ref === undefined ? [] : [referred(look.root, $ref)]), ...(allOf as readonly unknown[])];
  for (const each of all) {
    const why = wrong(each);
    if (why !== undefined) return why;
  }
  if (Array.isArray(anyOf) && anyOf.every((each) => wrong(each) !== undefined))
    return wrong(anyOf[0]) ?? `${at || "/"}: it fits none of the choices`;
  const fitting = Array.isArray(oneOf) ? oneOf.filter((each) => wrong(each) === undefined).length : 1;
  if (fitting !== 1) return `${at || "/"}: it fits ${fitting} of the choices, not one`;
  return not !== undefined && wrong(not) === undefined
    ? `${at || "/"}: it is what it must not be`
    : undefined;
}

function partFault(look: Look, words: Words, value: unknown, at: string): string | undefined {
  const { items = true, properties = {}, required = [], additionalProperties: others = true } = words;
  if (Array.isArray(value)) return firstFault(look, value.entries(), at, () => items);
  if (!isPlainObject(value)) return undefined;
  const missing = (required as readonly string[]).find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${at || "/"}: ${shown(missing)} is missing`;
  const known = properties as Words;
  return firstFault(look, Object.entries(value), at, (name) =>
    Object.hasOwn(known, name) ? known[name] : others,
  );
}

function firstFault<Name extends string | number>(
  look: Look,
  parts: Iterable<readonly [Name, unknown]>,
  at: string,
  schemaOf: (name: Name) => unknown,
): string | undefined {
  for (const [name, part] of parts) {
    const why = fault(look, schemaOf(name), part, `${at}/${name}`);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** Only what is in the schema itself. */
function referred(root: unknown, ref: unknown): unknown {
  if (ref === "#") return root;
  if (typeof ref !== "string" || !ref.startsWith("#/")) return undefined;
  const steps = ref
    .slice(2)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return steps.reduce<unknown>(
    (found, step) => (isPlainObject(found) && Object.hasOwn(found, step) ? found[step] : undefined),
    root,
  );
}

function isOf(type: unknown, value: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isPlainObject(value);
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(ordered(one)) === JSON.stringify(ordered(other));

const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, ordered(value[name])]),
  );
};

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};
