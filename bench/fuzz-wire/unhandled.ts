/** Notes what nobody has caught, while it is in use. */
export function watchUnhandled(): Disposable & { readonly seen: readonly string[] } {
  const seen: string[] = [];
  const see = (error: unknown): void =>
    void seen.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.on("uncaughtException", see);
  process.on("unhandledRejection", see);
  return {
    seen,
    [Symbol.dispose]() {
      process.off("uncaughtException", see);
      process.off("unhandledRejection", see);
    },
  };
}
