/** NULL columns become absent fields, which is how the domain says "nobody set it". */
export function present<Fields extends Record<string, unknown>>(
  fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  const found: Partial<Record<string, unknown>> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value !== null && value !== undefined) found[name] = value;
  }
  return found as { [Name in keyof Fields]?: NonNullable<Fields[Name]> };
}
