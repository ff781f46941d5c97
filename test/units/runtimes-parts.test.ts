import { load } from "./load.ts";

await load("src/runtimes/*/*/**/*.test.ts", "src/runtimes/!(codex)/*.test.ts");
