export type Env = Readonly<Record<string, string | undefined>>;

/** What a child needs of our environment, and nothing else: the rest may hold secrets. */
export const pickEnv = (env: Env, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
