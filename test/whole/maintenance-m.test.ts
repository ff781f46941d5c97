import { load } from "../units/load.ts";

await load("test/e2e/maintenance/m*.test.ts");
