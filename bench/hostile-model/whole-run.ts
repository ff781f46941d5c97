import { hostileRun, type Row } from "./hostile-run.ts";
import type { Runtime } from "./script.ts";

export type RuntimeReport = { readonly rows: readonly Row[]; readonly faults: readonly string[] };

/** Every n-th script with nobody to ask, and some always; then these with everything allowed, which has to leave its marks. */
export async function wholeRun(
  runtime: Runtime,
  every: number,
  progress?: (row: Row) => void,
): Promise<RuntimeReport> {
  const { rows, faults, allowed } = await hostileRun({
    runtime,
    choose: (script, index) => index % every === 0 || isRedTwin(script),
    isAllowed: isRedTwin,
    progress,
  });
  const unnoticed = allowed.filter((row) => !row.faults.some((fault) => /^(reached|is:)/.test(fault)));
  return {
    rows,
    faults: [
      ...rows.flatMap((row) => row.faults.map((fault) => `${runtime} ${row.name}: ${fault}`)),
      ...faults,
      ...unnoticed.map(({ name }) => `nobody noticed that ${name} was allowed`),
      ...(allowed.length === redTwins.length ? [] : ["the scripts that are allowed were not tried"]),
    ],
  };
}

/** What they do can be seen from outside. */
const redTwins = ["leaves-the-sandbox", "network-outside", "forged-results"];
const isRedTwin = ({ name }: { readonly name: string }): boolean => redTwins.includes(name);
