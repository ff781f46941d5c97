/** For `node --import`: so many short-lived processes load the same modules. What one has compiled, the next ones need not. */
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";
import { findModulesFast } from "../src/lib/fast-modules.ts";

enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url)));
findModulesFast();
