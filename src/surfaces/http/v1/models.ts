import type { Hono } from "hono";
import type { Client } from "../../../core/calls.ts";
import { HttpFailure } from "../failures.ts";
import type { Behind, Env } from "../visit.ts";

/** The name under which clients find the model that answers here, whichever it is. */
export const ownModel = "talaria";

const entry = (id: string) => ({ id, object: "model", created: 0, owned_by: "talaria" });

export function modelRoutes(app: Hono<Env>, { http }: Behind): void {
  const all = async (client: Client): Promise<readonly string[]> => [
    ...(await modelsOf(client)),
    ...http.settings.aliases,
  ];
  app.get("/v1/models", async (c) =>
    c.json({ object: "list", data: (await all(c.get("client"))).map(entry) }),
  );
  app.get("/v1/models/:id{.+}", async (c) => {
    const id = c.req.param("id");
    const known = await all(c.get("client"));
    if (!known.includes(id)) throw unknown(id, known);
    return c.json(entry(id));
  });
}

const modelsOf = async (client: Client): Promise<readonly string[]> => {
  const { model, models } = await client.call("host.status", {});
  return [...new Set([ownModel, model, ...models])];
};

/** What is to be chosen for the turn; nothing, for the ordinary model. */
export async function chosenModel(
  client: Client,
  asked: string,
  { http }: Pick<Behind, "http">,
): Promise<{ readonly model?: string }> {
  const { aliases } = http.settings;
  if (asked === ownModel || aliases.includes(asked)) return {};
  const [, ordinary, ...others] = await modelsOf(client);
  if (asked === ordinary) return {};
  if (others.includes(asked)) return { model: asked };
  throw unknown(asked, [ownModel, ordinary ?? "", ...others, ...aliases]);
}

const unknown = (asked: string, known: readonly string[]): HttpFailure =>
  new HttpFailure(
    404,
    "model_not_found",
    `There is no model ${JSON.stringify(asked.slice(0, 80))} here. There are: ${known.filter((name) => name !== "").join(", ")}.`,
    "Use one of these; http.model_aliases can name more.",
    { param: "model" },
  );
