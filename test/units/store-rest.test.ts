import { keepFilesInMemory, load } from "./load.ts";

keepFilesInMemory();
await load(
  "src/store/*.test.ts",
  "src/store/!(sqlite|postgres)/**/*.test.ts",
  "src/store/sqlite/!(sqlite).test.ts",
);
