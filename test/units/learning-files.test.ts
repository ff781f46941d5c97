import { keepFilesInMemory, load } from "./load.ts";

keepFilesInMemory();
await load("src/learning/{curator,files,learned}/**/*.test.ts");
