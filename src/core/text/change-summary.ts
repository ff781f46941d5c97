/** `1 add, 2 update: a, b, c`: kinds by name, at most three paths. There is at least one change. */
export function changeSummary(changes: readonly { readonly kind: string; readonly path: string }[]): string {
  const kinds = [...new Set(changes.map(({ kind }) => kind))].toSorted();
  const counts = kinds.map((kind) => `${changes.filter((change) => change.kind === kind).length} ${kind}`);
  const names = changes.slice(0, 3).map(({ path }) => path);
  const more = changes.length > 3 ? `, +${changes.length - 3} more` : "";
  return `${counts.join(", ")}: ${names.join(", ")}${more}`;
}
