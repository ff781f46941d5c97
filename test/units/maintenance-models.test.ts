import { load } from "./load.ts";

await load("src/maintenance/**/*.test.ts", "src/models/**/*.test.ts");
