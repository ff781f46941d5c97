import { load } from "../units/load.ts";

await load("test/e2e/codex/[t-z]*.test.ts");
