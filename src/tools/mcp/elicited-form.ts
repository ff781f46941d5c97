import { type Fields, fieldsOf, listOf } from "../../core/json.ts";
import type { Answers, Form } from "../../core/asking.ts";
import { foreignLine, foreignText } from "./foreign-text.ts";

/** What a server wants to know, and how the answers go back to it. */
export type ElicitedForm = {
  readonly form: Form;
  /** In the types that the server asked for, or what does not fit, as a sentence for the person. */
  typed(answers: Answers): { readonly content: Readonly<Record<string, Value>> } | { readonly wrong: string };
};

type Value = string | number | boolean | string[];
const maxFields = 20;

/** `undefined`: it asks in a way that no form can show. */
export function elicitedForm(server: string, asked: Fields): ElicitedForm | undefined {
  const schema = fieldsOf(asked["requestedSchema"]);
  const properties = Object.entries(fieldsOf(schema["properties"]));
  if (properties.length === 0 || properties.length > maxFields) return undefined;
  const required: ReadonlySet<unknown> = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const fields = properties.map(([name, property]) => fieldOf(name, fieldsOf(property), required.has(name)));
  const message = foreignText(String(asked["message"] ?? ""), 1_000);
  return {
    form: {
      title: `The MCP server ${foreignLine(server, 60)} asks: ${message}`,
      fields: fields.map(({ name, label, options }) => ({
        name,
        label,
        ...(options.size === 0 ? {} : { options: [...options.keys()] }),
      })),
    },
    typed: (answers) => typed(fields, answers),
  };
}

type Field = {
  readonly name: string;
  readonly label: string;
  readonly kind: "text" | "number" | "integer" | "boolean" | "choice" | "choices";
  /** What the person chooses from, and what it means to the server. */
  readonly options: ReadonlyMap<string, string>;
  readonly required: boolean;
};

function fieldOf(name: string, schema: Fields, required: boolean): Field {
  const label = foreignLine(String(schema["title"] ?? schema["description"] ?? name), 200);
  const about = schema["title"] === undefined ? "" : foreignLine(String(schema["description"] ?? ""), 200);
  const more = about === "" ? label : `${label}: ${about}`;
  const kind = kindOf(schema);
  const hint = kind === "choices" ? " (several with commas between them)" : "";
  return {
    name,
    label: `${more}${hint}${required ? "" : " (may stay empty)"}`,
    kind,
    options: kind === "boolean" ? yesOrNo : kind === "choice" ? optionsOf(schema) : new Map(),
    required,
  };
}

const yesOrNo: ReadonlyMap<string, string> = new Map([
  ["yes", "true"],
  ["no", "false"],
]);

function kindOf(schema: Fields): Field["kind"] {
  const { type } = schema;
  if (type === "boolean" || type === "number" || type === "integer") return type;
  if (type === "array") return "choices";
  return optionsOf(schema).size > 0 ? "choice" : "text";
}

/** `enum` with or without `enumNames`, or `oneOf` with a constant and a title each. */
function optionsOf(schema: Fields): ReadonlyMap<string, string> {
  const names = listOf(schema["enumNames"]);
  const plain = listOf(schema["enum"]).map((value, at) => [names[at] ?? value, value] as const);
  const titled = listOf(schema["oneOf"]).map((one) => {
    const { const: value, title } = fieldsOf(one);
    return [title ?? value, value] as const;
  });
  return new Map(
    [...plain, ...titled].map(([shown, value]) => [foreignLine(String(shown), 100), String(value)]),
  );
}

function typed(fields: readonly Field[], answers: Answers): ReturnType<ElicitedForm["typed"]> {
  const content: Record<string, Value> = {};
  for (const field of fields) {
    const text = answers[field.name] ?? "";
    if (text.trim() === "" && !field.required) continue;
    const value = typedValue(field, text);
    if (value === undefined) return { wrong: `"${field.label}" needs ${needs[field.kind]}.` };
    content[field.name] = value;
  }
  return { content };
}

const needs: Readonly<Record<Field["kind"], string>> = {
  text: "an answer",
  number: "a number",
  integer: "a whole number",
  boolean: "yes or no",
  choice: "one of its choices",
  choices: "an answer",
};

function typedValue({ kind, options, required }: Field, text: string): Value | undefined {
  const word = text.trim();
  if (required && word === "") return undefined;
  if (kind === "text") return text;
  if (kind === "choices") return word.split(",").map((one) => one.trim());
  if (kind === "boolean") return booleans.get(word.toLowerCase());
  if (kind === "choice") return options.get(word) ?? [...options.values()].find((value) => value === word);
  const number = Number(word);
  return Number.isFinite(number) && (kind === "number" || Number.isInteger(number)) ? number : undefined;
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...["yes", "y", "true", "1"].map((word) => [word, true] as const),
  ...["no", "n", "false", "0"].map((word) => [word, false] as const),
]);

/** What a form may not ask for: a server that needs a secret gets it from its settings. */
export function secretField(asked: Fields): string | undefined {
  const schema = fieldsOf(asked["requestedSchema"]);
  const properties = Object.entries(fieldsOf(schema["properties"]));
  const found = properties.find(([name, property]) => {
    const { title, description, format } = fieldsOf(property);
    return format === "password" || [name, title, description].some((text) => soundsSecret(text));
  });
  if (found !== undefined) return foreignLine(found[0], 60);
  return soundsSecret(asked["message"]) ? "its question" : undefined;
}

/** `apiKey` and `API_KEY` are the same words. */
function soundsSecret(text: unknown): boolean {
  if (typeof text !== "string") return false;
  const words = text
    .normalize("NFKC")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .toLowerCase();
  return secretWords.test(words);
}

const secretWords =
  /pass ?(?:word|wort|phrase|code|key)|\bpwd\b|\bsecrets?\b|\btokens?\b|\b(?:api|access|private|secret|ssh|signing|encryption|recovery) ?keys?\b|\bcredentials?\b|\bpin\b|\b(?:otp|totp|2fa|mfa)\b|one time code|\bcvv\b|\bcvc\b|card number|credit card|\biban\b|seed phrase|social security/;
