import { load } from "./load.ts";

await load("src/agent/**/*.test.ts", "src/work/**/*.test.ts");
