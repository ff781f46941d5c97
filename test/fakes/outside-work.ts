/** Work that takes real time whatever a fake clock says, such as that of a database. Time stands still until it is done. */
let open = 0;
let idle: PromiseWithResolvers<void> | undefined;

export async function outsideWork<T>(work: Promise<T>): Promise<T> {
  open += 1;
  try {
    return await work;
  } finally {
    open -= 1;
    if (open === 0) idle?.resolve();
  }
}

/** `undefined`: there is none. */
export function outsideWorkDone(): Promise<void> | undefined {
  if (open === 0) return undefined;
  idle ??= Promise.withResolvers();
  return idle.promise.finally(() => (idle = undefined));
}
