import { constants, setPriority } from "node:os";
import { parseArgs } from "node:util";
import { systemClock } from "../src/lib/clock.ts";

/** A run of faults or a comparison: how much of it, what runs, and what it has to come to. Its folder is its name. */
export type Bench<Size> = {
  /** `quick` is what `npm test` runs: it says nothing about time. */
  readonly sizes: { readonly quick: Size; readonly full: Size };
  /** Flags of its own, each with a value: `--part codex`. */
  readonly flags?: readonly string[];
  /** It draws by chance: `--seed` repeats a run. */
  readonly isSeeded?: true;
  /** It measures time: other work on the machine is asked to wait. */
  readonly isTimed?: true;
  readonly run: (size: Size, how: How) => Promise<Outcome>;
};

type How = {
  readonly seed: number;
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly log: (line: string) => void;
};

export type Outcome = {
  /** Printed as one line of JSON. */
  readonly figures: Readonly<Record<string, unknown>>;
  /** What must not be, in words. One fails the run, whatever its size. */
  readonly faults: readonly string[];
  /** What a run at full size is held against. */
  readonly targets?: Readonly<Record<string, Target>>;
  /** For people. */
  readonly table?: string;
};

/** NaN: it was not measured. */
export type Target = { readonly is: number } & ({ readonly atMost: number } | { readonly atLeast: number });

/** Runs it as the command line says, and prints what came of it. Returns the code to exit with. */
export async function runBench<Size>(
  name: string,
  bench: Bench<Size>,
  args: readonly string[],
): Promise<number> {
  const asked = askedFor(name, bench, args);
  if (typeof asked === "string") {
    console.error(asked);
    return 2;
  }
  if (bench.isTimed) askForPriority();
  if (bench.isSeeded) console.error(`seed ${asked.seed}`);
  const size = bench.sizes[asked.size];
  const outcome = await bench.run(size, { seed: asked.seed, flags: asked.flags, log: console.error });
  const { lines, errors, code } = printed(name, bench, asked, outcome);
  for (const line of errors) console.error(line);
  for (const line of lines) console.log(line);
  return code;
}

export type Asked = {
  readonly size: "quick" | "full";
  /** Missed targets are told, and are no failure. */
  readonly isReport: boolean;
  readonly seed: number;
  readonly flags: Readonly<Record<string, string | undefined>>;
};

/** A text says what is wrong with the arguments. */
export function askedFor(
  name: string,
  { flags = [], isSeeded }: Pick<Bench<unknown>, "flags" | "isSeeded">,
  args: readonly string[],
): Asked | string {
  const own = [...flags, ...(isSeeded ? ["seed"] : [])];
  const text = Object.fromEntries(own.map((flag) => [flag, { type: "string" as const }]));
  const options = { quick: { type: "boolean" }, report: { type: "boolean" }, ...text } as const;
  try {
    const { quick, report, ...values } = parseArgs({ args: [...args], options }).values;
    const rest = values as Readonly<Record<string, string | undefined>>;
    const seed = Number(rest["seed"] ?? systemClock.now() % 1_000_000);
    if (!Number.isSafeInteger(seed)) throw new Error(`--seed needs a whole number, not ${rest["seed"]}`);
    return { size: quick ? "quick" : "full", isReport: report === true, seed, flags: rest };
  } catch (error) {
    const known = ["[--quick]", "[--report]", ...own.map((flag) => `[--${flag} …]`)].join(" ");
    return `${(error as Error).message}\nUsage: npm run bench:${name} -- ${known}`;
  }
}

const mostFaults = 20;

/** What is said of a run, and the code to exit with: a fault always fails, a missed target at full size without `--report`. */
export function printed(
  name: string,
  { isSeeded }: Pick<Bench<unknown>, "isSeeded">,
  { size, isReport, seed }: Asked,
  { figures, table, ...outcome }: Outcome,
): { readonly lines: readonly string[]; readonly errors: readonly string[]; readonly code: number } {
  const targets = size === "quick" ? {} : (outcome.targets ?? {});
  const missed = Object.entries(targets).filter(([, target]) => isMet(target) === false);
  // A part that nobody knows runs nothing, and that is no pass.
  const isEmpty = Object.values(figures).every((figure) => figure === undefined) && table === undefined;
  const faults = isEmpty ? ["nothing was measured", ...outcome.faults] : outcome.faults;
  const more = faults.length - mostFaults;
  const line = {
    bench: name,
    size,
    ...(isSeeded ? { seed } : {}),
    ...figures,
    ...told(targets),
    faults: faults.length,
    pass: faults.length === 0 && missed.length === 0,
  };
  return {
    errors: [
      ...faults.slice(0, mostFaults).map((fault) => `broken: ${fault}`),
      ...(more > 0 ? [`and ${more} more`] : []),
      ...missed.map(([what, target]) => `missed: ${what} is ${target.is}, asked for is ${goal(target)}`),
    ],
    lines: [...(table === undefined ? [] : [table]), JSON.stringify(line)],
    code: faults.length > 0 || (missed.length > 0 && !isReport) ? 1 : 0,
  };
}

function told(targets: Readonly<Record<string, Target>>): object {
  if (Object.keys(targets).length === 0) return {};
  const each = Object.entries(targets).map(([what, target]) => {
    return [what, { ...target, met: isMet(target) ?? "not measured" }];
  });
  return { targets: Object.fromEntries(each) };
}

/** Undefined: not measured. */
function isMet(target: Target): boolean | undefined {
  if (Number.isNaN(target.is)) return undefined;
  return "atMost" in target ? target.is <= target.atMost : target.is >= target.atLeast;
}

/** A target in words, and whether it is met, for a table. */
export function goalLine(target: Target): string {
  const met = isMet(target);
  if (met === undefined) return `${goal(target)}: not measured`;
  return `${goal(target)}: ${met ? "met" : "NOT met"}`;
}

const goal = (target: Target): string =>
  "atMost" in target ? `at most ${target.atMost}` : `at least ${target.atLeast}`;

/** Other work is not what is measured. Not everybody may ask for that; what the bench starts inherits it. */
function askForPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_HIGH);
  } catch {
    console.error("without priority over other work on this machine");
  }
}
