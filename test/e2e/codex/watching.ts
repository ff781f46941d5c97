import { watch } from "node:fs/promises";

/** Resolves when `look` says yes: it is asked at once, and again whenever the file or folder changes. */
export async function whenChanged(path: string, look: () => Promise<boolean>): Promise<void> {
  const found = new AbortController();
  const check = async (): Promise<void> => void ((await look()) && found.abort());
  const patience = AbortSignal.timeout(120_000);
  const changes = watch(path, { signal: AbortSignal.any([found.signal, patience]) });
  const watching = Array.fromAsync(changes, check);
  await check();
  await watching.catch(() => {}); // it ends only by being aborted
  if (!found.signal.aborted) throw new Error(`${path} did not become what was waited for`);
}
