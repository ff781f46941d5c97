import type { Json } from "../../core/json.ts";

/** Tools of ours for what a server has beside tools. Each is there when the server says that it can do it. */
export type Utility = "list_resources" | "read_resource" | "list_prompts" | "get_prompt";

type About = {
  readonly method: string;
  /** Its name among the pinned tools of the server, where no name of a server's own tool starts so. */
  readonly pin: string;
  readonly description: string;
  readonly parameters: Json;
};

const nothing: Json = { type: "object", properties: {}, additionalProperties: false };
const text = (description: string): Json => ({ type: "string", description });

export const utilities: Readonly<Record<Utility, About>> = {
  list_resources: {
    method: "resources/list",
    pin: "*list_resources",
    description: "List the resources (documents, records) that this server can give, with their addresses.",
    parameters: nothing,
  },
  read_resource: {
    method: "resources/read",
    pin: "*read_resource",
    description: "Read one resource of this server.",
    parameters: {
      type: "object",
      properties: { uri: text("Its address, as list_resources gives it") },
      required: ["uri"],
    },
  },
  list_prompts: {
    method: "prompts/list",
    pin: "*list_prompts",
    description: "List the prepared prompts of this server.",
    parameters: nothing,
  },
  get_prompt: {
    method: "prompts/get",
    pin: "*get_prompt",
    description: "Get one prepared prompt of this server, filled in.",
    parameters: {
      type: "object",
      properties: {
        name: text("Its name, as list_prompts gives it"),
        arguments: { type: "object", additionalProperties: { type: "string" } },
      },
      required: ["name"],
    },
  },
};

/** What a server can do, as it said when it was greeted. */
export const utilitiesOf = (capabilities: {
  readonly resources?: unknown;
  readonly prompts?: unknown;
}): readonly Utility[] => [
  ...(capabilities.resources === undefined ? [] : (["list_resources", "read_resource"] as const)),
  ...(capabilities.prompts === undefined ? [] : (["list_prompts", "get_prompt"] as const)),
];
