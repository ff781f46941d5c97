/** Remembers children outside this process, so that the next start can end those we left behind. */
export type ProcessRegistry = {
  add(child: { readonly pid: number; readonly startTime: string; readonly kind: string }): Promise<void>;
  remove(pid: number, startTime: string): Promise<void>;
};
