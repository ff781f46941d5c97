import { keepFilesInMemory, load } from "./load.ts";

keepFilesInMemory();
await load("src/learning/*.test.ts", "src/learning/!(curator|files|learned)/**/*.test.ts");
