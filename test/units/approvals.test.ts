import { keepFilesInMemory, load } from "./load.ts";

keepFilesInMemory();
await load("src/approvals/**/*.test.ts");
