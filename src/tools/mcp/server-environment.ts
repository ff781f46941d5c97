type Variables = Readonly<Record<string, string | undefined>>;

const passed: ReadonlySet<string> = new Set(
  [
    ["PATH", "HOME", "USER", "LOGNAME", "SHELL"],
    ["LANG", "TERM", "TMPDIR"],
  ].flat(),
);

/** What the program of an MCP server gets: none of our keys, only what programs need to run, and what was written for it. */
export function serverEnvironment(
  ours: Variables,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const entries = Object.entries(ours).flatMap(([name, value]) =>
    value !== undefined && isPassed(name) ? [[name, value] as const] : [],
  );
  return { PATH: "/usr/local/bin:/usr/bin:/bin", ...Object.fromEntries(entries), ...own };
}

const isPassed = (name: string): boolean =>
  passed.has(name) || name.startsWith("LC_") || name.startsWith("XDG_");
