import { load } from "./load.ts";

await load("src/surfaces/**/*.test.ts");
