import { createHash } from "node:crypto";
import { isPlainObject, type Json, stableJson } from "../../core/json.ts";
import { type Utility, utilities } from "./utility.ts";

/** A tool as its server describes it. Nothing in it is to be believed. */
export type Definition = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object, as the server wrote it. */
  readonly inputSchema: Json;
  readonly annotations: Json;
  /** Not a tool of the server: one of ours for what else it has. */
  readonly utility?: Utility;
};

/** What is stored of a tool, and compared with what its server offers later. */
export type ToolRecord = { readonly name: string; readonly hash: string; readonly definition: Json };

export type Offer = {
  readonly tools: readonly ToolRecord[];
  /** Tools that cannot be used whatever the person says, and why. */
  readonly leftOut: readonly { readonly name: string; readonly why: string }[];
};

const maxTools = 1_000;
const maxDefinitionChars = 100_000;
const maxNameChars = 200;

/** What a server lists, sorted out. Unknown fields are dropped: they are neither shown nor compared. */
export function readOffer(listed: readonly unknown[], has: readonly Utility[]): Offer {
  const tools = new Map<string, ToolRecord>();
  const leftOut: { name: string; why: string }[] = [];
  for (const one of listed) {
    const name = isPlainObject(one) && typeof one["name"] === "string" ? one["name"] : "";
    const read = readDefinition(one, name);
    const why = "why" in read ? read.why : whyNot(tools, name);
    if (why !== undefined) leftOut.push({ name: name.slice(0, maxNameChars) || "(no name)", why });
    if (why === undefined && !("why" in read)) tools.set(name, toolRecord(read));
  }
  for (const utility of has) tools.set(utilities[utility].pin, toolRecord(utilityDefinition(utility)));
  return { tools: [...tools.values()], leftOut };
}

function readDefinition(one: unknown, name: string): Definition | { readonly why: string } {
  if (!isPlainObject(one)) return { why: "it is no object" };
  if (name === "" || name.length > maxNameChars) return { why: "its name is empty or too long" };
  if (name.startsWith("*")) return { why: "its name starts with *" };
  const { description, inputSchema, annotations } = one;
  if (!isPlainObject(inputSchema) || inputSchema["type"] !== "object")
    return { why: "the schema of its arguments is not that of an object" };
  const definition: Definition = {
    name,
    description: typeof description === "string" ? description : "",
    inputSchema: inputSchema as Json,
    annotations: isPlainObject(annotations) ? (annotations as Json) : {},
  };
  const size = stableJson(definition).length;
  return size <= maxDefinitionChars
    ? definition
    : { why: `its definition has ${size} characters, and ${maxDefinitionChars} are allowed` };
}

function whyNot(tools: ReadonlyMap<string, ToolRecord>, name: string): string | undefined {
  if (tools.has(name)) return "another one has the same name";
  return tools.size < maxTools ? undefined : `a server may have ${maxTools} tools`;
}

const utilityDefinition = (utility: Utility): Definition => ({
  name: utilities[utility].pin,
  description: utilities[utility].description,
  inputSchema: utilities[utility].parameters,
  annotations: { readOnlyHint: true },
  utility,
});

function toolRecord(definition: Definition): ToolRecord {
  return { name: definition.name, hash: hashOf(definition), definition };
}

const hashOf = (definition: Definition): string =>
  createHash("sha256").update(stableJson(definition)).digest("hex");

/** Reads back a definition that we stored. */
export function storedDefinition(stored: Json): Definition | undefined {
  if (!isPlainObject(stored) || typeof stored["name"] !== "string") return undefined;
  const { name, description, inputSchema, annotations, utility } = stored as Record<string, Json>;
  if (!isPlainObject(inputSchema)) return undefined;
  const known = typeof utility === "string" && Object.hasOwn(utilities, utility);
  return {
    name: String(name),
    description: typeof description === "string" ? description : "",
    inputSchema: inputSchema as Json,
    annotations: isPlainObject(annotations) ? (annotations as Json) : {},
    ...(known ? { utility: utility as Utility } : {}),
  };
}

/** How the tool is called in lists for people and in `include` and `exclude`. */
export const plainName = (name: string): string => name.replace(/^\*/, "");
