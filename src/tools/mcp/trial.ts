import { type ConnectionDeps, openConnection } from "./connection.ts";
import type { ServerSettings } from "./settings.ts";
import { troubleOf } from "./trouble.ts";

type Trial = ConnectionDeps & { readonly limitMs: number; readonly signal: AbortSignal };

/** Starts a server, asks for its tools and ends it. Nothing is kept. `why` goes after "it". */
export async function tryServer(
  settings: ServerSettings,
  { limitMs, signal, ...deps }: Trial,
): Promise<{ readonly tools: number } | { readonly why: string }> {
  try {
    const bounded = { ...settings, connectMs: Math.min(settings.connectMs, limitMs) };
    const listeners = { onToolsChanged: () => {}, onElicit: async () => ({ action: "decline" as const }) };
    await using connection = await openConnection(bounded, deps, listeners, signal);
    const { tools } = await connection.list(signal);
    return { tools: tools.length };
  } catch (error) {
    return { why: troubleOf(error).message };
  }
}
