import { load } from "./load.ts";

await load(
  "src/tools/*.test.ts",
  "src/tools/!(browser)/**/*.test.ts",
  "src/core/**/*.test.ts",
  "src/transcript/**/*.test.ts",
);
