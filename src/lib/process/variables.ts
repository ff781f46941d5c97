export type Variables = Readonly<Record<string, string | undefined>>;

/** As a child is given them: those that have a value, and of these the wanted ones. */
export const setVariables = (
  env: Variables,
  isWanted: (name: string) => boolean = () => true,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && isWanted(name) ? [[name, value] as const] : [],
    ),
  );
