/** Arguments of Node for a child that loads the sources. */
export const ownSources: readonly string[] = [
  "--disable-warning=ExperimentalWarning",
  "--import",
  import.meta.resolve("../test/fast-modules.mjs"),
];

/** As `bin/talaria` starts it. */
export const launcherFlags = ["--min-semi-space-size=16", "--max-semi-space-size=16", "--v8-pool-size=1"];
