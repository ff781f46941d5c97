import { keepFilesInMemory, load } from "./load.ts";

keepFilesInMemory();
await load("src/store/sqlite/sqlite.test.ts");
