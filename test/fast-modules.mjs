/**
 * For `node --import`: so many short-lived processes load the same modules. What one has compiled, the next ones need not. No
 * TypeScript itself: for a file that is loaded before the cache is there, Node loads a whole compiler.
 */
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url)));
const { findModulesFast } = await import("../src/lib/fast-modules.ts");
findModulesFast();
