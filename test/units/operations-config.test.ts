import { load } from "./load.ts";

await load("src/operations/**/*.test.ts", "src/config/**/*.test.ts");
