import { load } from "../units/load.ts";

await load("test/e2e/screen/tui-[p-z]*.test.ts");
