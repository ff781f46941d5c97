import * as fc from "../../../test/seeded.ts";

/** Any string JavaScript can hold, half characters included. */
export const anyText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0xffff })))
  .map((units) => String.fromCharCode(...units));
