import { load } from "../units/load.ts";

await load("test/e2e/[a-d]*.test.ts");
