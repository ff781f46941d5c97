import { keepFilesInMemory, load } from "./load.ts";

keepFilesInMemory();
await load("src/agent/**/*.test.ts", "src/work/**/*.test.ts");
