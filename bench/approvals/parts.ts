import { modelPart } from "./model-part.ts";
import { realPart } from "./real-part.ts";
import { rewritePart } from "./rewrite-part.ts";
import type { Size } from "./sizes.ts";

/** What came of one part. `faults`: everything that speaks against it, in words. */
type PartReport = {
  readonly name: string;
  readonly figures: Readonly<Record<string, unknown>>;
  readonly faults: readonly string[];
};

export type Part = (size: Size, seed: number, progress: (line: string) => void) => Promise<PartReport>;

/** In the order in which they run. */
export const parts: readonly Part[] = [modelPart, realPart, rewritePart];
