import { load } from "../units/load.ts";

await load("test/e2e/maintenance/[a-l]*.test.ts");
