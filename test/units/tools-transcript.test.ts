import { load } from "./load.ts";

await load(
  "src/tools/{files,media,net,web}/**/*.test.ts",
  "src/core/**/*.test.ts",
  "src/transcript/**/*.test.ts",
);
