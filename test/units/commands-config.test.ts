import { load } from "./load.ts";

await load("src/commands/**/*.test.ts", "src/config/**/*.test.ts");
