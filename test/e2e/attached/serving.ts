import type { Started, Talaria } from "../talaria.ts";

/** A host that stays in this home, once it can be attached to. What it logs is on its stdout. */
export async function serving(
  it: Pick<Talaria, "shell">,
  env: Readonly<Record<string, string>> = {},
  words = "",
): Promise<Started> {
  const host = await it.shell(`exec "$0" serve ${words} 2>&1`, { env });
  await host.shows(/"event":"serving"/);
  return host;
}

/** Who has attached to it, by their surfaces. Ends it. */
export async function endServing(host: Started): Promise<readonly unknown[]> {
  host.signal("SIGTERM");
  const { lines } = await host.finished;
  return lines.filter(({ event }) => event === "attached").map(({ surface }) => surface);
}

/** The same for every run: no ids, no times, no folders. */
export const normalised = (text: string, { folder }: Pick<Talaria, "folder">): string =>
  text
    .replaceAll(folder, "<folder>")
    .replaceAll(/\b(ses|inb|trn|itm|apr|inq|call)_[\w-]+/g, "<$1>")
    .replaceAll(/\b\d{13}\b/g, "<time>")
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+Z)?/g, "<time>")
    .replaceAll(/"durationMs":\d+/g, '"durationMs":0')
    .replaceAll(/\b\d+(?:\.\d+)? m?s\b/g, "<time>")
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "<model>");
