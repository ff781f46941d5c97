import { load } from "../units/load.ts";

await load("test/e2e/every-tool/*.test.ts");
