import { load } from "../units/load.ts";

await load("test/codex-{schema,tools}/*.test.ts");
