const types: ReadonlySet<unknown> = new Set("object array string number integer boolean null".split(" "));

/** Why this is no JSON Schema, as far as that can be seen from its outside. */
export function whyNoSchema(schema: unknown): string | undefined {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return "it has to be an object";
  const { type = [] } = schema as { readonly type?: unknown };
  const unknown = [type].flat().find((each) => !types.has(each));
  return unknown === undefined ? undefined : `there is no type ${JSON.stringify(unknown).slice(0, 60)}`;
}
