import { type Arbitrary, configureGlobal, integer } from "fast-check";

export * from "fast-check";

/** The same cases in every run, so that what fails for one fails for all. TALARIA_TEST_SEED tries others. */
configureGlobal({ seed: Number(process.env["TALARIA_TEST_SEED"] ?? 2026) });

const [firstSurrogate, surrogates, last] = [0xd800, 0x800, 0x10_ffff];

/**
 * The same characters as fast-check's unit "binary", in the same order. That one lists them all, in every process that asks for it:
 * more than a second and 180 MiB.
 */
export const anyCharacter: Arbitrary<string> = integer({ min: 0, max: last - surrogates }).map(
  (at) => String.fromCodePoint(at < firstSurrogate ? at : at + surrogates),
  (char) => {
    const point = typeof char === "string" ? char.codePointAt(0) : undefined;
    if (point === undefined || char !== String.fromCodePoint(point)) throw new Error("it is no character");
    if (point < firstSurrogate) return point;
    if (point < firstSurrogate + surrogates) throw new Error("it is half a character");
    return point - surrogates;
  },
);
