import { load } from "./load.ts";

await load("src/approvals/**/*.test.ts");
