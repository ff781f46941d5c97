import { load } from "../units/load.ts";

await load("test/e2e/codex/[n-r]*.test.ts", "test/e2e/codex/review/*.test.ts");
