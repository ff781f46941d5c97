import { load } from "./load.ts";

await load("test/*.test.ts", "test/fakes/**/*.test.ts");
