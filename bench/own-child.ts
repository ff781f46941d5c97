/** Arguments of Node for a child that loads the sources. */
export const ownSources: readonly string[] = [
  "--disable-warning=ExperimentalWarning",
  "--import",
  import.meta.resolve("../test/fast-modules.ts"),
];
