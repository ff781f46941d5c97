import { keepFilesInMemory, load } from "./load.ts";

keepFilesInMemory();
await load("src/store/postgres/*.test.ts");
