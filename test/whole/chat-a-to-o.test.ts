import { load } from "../units/load.ts";

await load("test/e2e/screen/tui-[a-o]*.test.ts");
