/** A schema of draft 7, as far as codex's generated bundle uses it. */
export type Schema = boolean | { readonly [keyword: string]: unknown };

export type ValidateOptions = {
  /** Also complain about properties that the schema does not name: a misspelled optional field is lost in silence. */
  readonly strict?: boolean;
};

/** What is wrong with `value`, each with its place; empty if nothing is. `root` is where `$ref`s point into. */
export function validate(
  root: Schema,
  schema: Schema,
  value: unknown,
  { strict = false }: ValidateOptions = {},
): string[] {
  return atPlace({ root, strict }, schema, value, "");
}

type Look = { readonly root: Schema; readonly strict: boolean };

/** What one schema says about one place. `named` are the properties it knows; `open`: it does not mind others. */
type Verdict = { readonly problems: string[]; readonly named: ReadonlySet<string>; readonly open: boolean };

function atPlace(look: Look, schema: Schema, value: unknown, path: string): string[] {
  const { problems, named, open } = visit(look, schema, value, path);
  if (!look.strict || problems.length > 0 || !isObject(value) || open || named.size === 0) return problems;
  return Object.keys(value)
    .filter((key) => !named.has(key))
    .map((key) => `${path || "/"}: unknown property "${key}"`);
}

function visit(look: Look, schema: Schema, value: unknown, path: string): Verdict {
  if (schema === true) return { problems: [], named: new Set(), open: true };
  if (schema === false) return { problems: [`${path || "/"}: nothing is allowed here`], ...nothingNamed };
  const parts: Verdict[] = [
    { problems: ownProblems(look, schema, value, path), named: ownNames(schema), open: isOpen(schema) },
  ];
  const { $ref, allOf, anyOf, oneOf } = schema;
  if (typeof $ref === "string") parts.push(visit(look, resolveRef(look.root, $ref), value, path));
  for (const part of asSchemas(allOf)) parts.push(visit(look, part, value, path));
  if (anyOf !== undefined) parts.push(choose(look, asSchemas(anyOf), value, path, "any"));
  if (oneOf !== undefined) parts.push(choose(look, asSchemas(oneOf), value, path, "one"));
  return join(parts);
}

function choose(
  look: Look,
  branches: readonly Schema[],
  value: unknown,
  path: string,
  how: "any" | "one",
): Verdict {
  const verdicts = branches.map((branch) => visit(look, branch, value, path));
  const fitting = verdicts.filter(({ problems }) => problems.length === 0);
  if (how === "one" && fitting.length > 1)
    return {
      problems: [`${path || "/"}: fits ${fitting.length} of the choices, not just one`],
      ...nothingNamed,
    };
  if (fitting.length > 0) return join(fitting);
  const closest = verdicts.toSorted((a, b) => nearness(b, path) - nearness(a, path))[0];
  return closest ?? { problems: [`${path || "/"}: there is no choice`], ...nothingNamed };
}

/** A branch whose own tag fits complains deeper, or about less, than one that is something else altogether. */
const nearness = ({ problems }: Verdict, path: string): number => {
  const wrongHere = problems.filter((text) =>
    /^[^:]*: (should be|is none of)/.test(text.slice(path.length)),
  ).length;
  return -wrongHere * 100 - problems.length;
};

const join = (parts: readonly Verdict[]): Verdict => ({
  problems: parts.flatMap(({ problems }) => problems),
  named: new Set(parts.flatMap(({ named }) => [...named])),
  open: parts.some(({ open }) => open),
});

const nothingNamed = { named: new Set<string>(), open: false } as const;

type Keywords = Exclude<Schema, boolean>;

function ownProblems(look: Look, schema: Keywords, value: unknown, path: string): string[] {
  const place = path || "/";
  if (schema["type"] !== undefined && !typesOf(schema).some((type) => hasType(type, value)))
    return [`${place}: should be ${typesOf(schema).join(" or ")}, is ${shown(value)}`];
  const choices = schema["enum"] as readonly unknown[] | undefined;
  if (choices !== undefined && !choices.includes(value))
    return [`${place}: is none of ${choices.map(shown).join(", ")}, but ${shown(value)}`];
  const { minimum, minLength } = schema;
  if (typeof minimum === "number" && typeof value === "number" && value < minimum)
    return [`${place}: is less than ${minimum}`];
  if (typeof minLength === "number" && typeof value === "string" && value.length < minLength)
    return [`${place}: is shorter than ${minLength}`];
  if (Array.isArray(value)) return itemProblems(look, schema, value, path);
  return isObject(value) ? propertyProblems(look, schema, value, path) : [];
}

function itemProblems(look: Look, schema: Keywords, value: readonly unknown[], path: string): string[] {
  const items = schema["items"] as Schema | undefined;
  if (items === undefined) return [];
  return value.flatMap((item, at) => atPlace(look, items, item, `${path}/${at}`));
}

function propertyProblems(
  look: Look,
  schema: Keywords,
  value: Readonly<Record<string, unknown>>,
  path: string,
): string[] {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, Schema>>;
  const required = (schema["required"] ?? []) as readonly string[];
  const others = schema["additionalProperties"] as Schema | undefined;
  return [
    ...required.filter((key) => value[key] === undefined).map((key) => `${path || "/"}: "${key}" is missing`),
    ...Object.entries(value).flatMap(([key, inner]) => {
      const known = Object.hasOwn(properties, key) ? properties[key] : others;
      return known === undefined || inner === undefined ? [] : atPlace(look, known, inner, `${path}/${key}`);
    }),
  ];
}

const ownNames = (schema: Keywords): ReadonlySet<string> => new Set(Object.keys(schema["properties"] ?? {}));

const isOpen = (schema: Keywords): boolean =>
  schema["additionalProperties"] !== undefined && schema["additionalProperties"] !== false;

function resolveRef(root: Schema, ref: string): Schema {
  const steps = ref.startsWith("#/") ? ref.slice(2).split("/") : [];
  let found: unknown = root;
  for (const step of steps) found = isObject(found) ? found[step] : undefined;
  if (steps.length === 0 || found === undefined)
    throw new Error(`The schema refers to ${ref}, which is not in it. Generate it anew.`);
  return found as Schema;
}

const asSchemas = (value: unknown): readonly Schema[] => (value ?? []) as readonly Schema[];

const typesOf = (schema: Keywords): readonly string[] => [schema["type"]].flat() as string[];

function hasType(type: string, value: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
