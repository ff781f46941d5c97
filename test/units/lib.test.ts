import { load } from "./load.ts";

await load("src/lib/**/*.test.ts");
