import { load } from "./load.ts";

await load("src/host/**/*.test.ts");
