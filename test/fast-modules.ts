/** For `node --import`: so many short-lived processes load the same modules. */
import { findModulesFast } from "../src/lib/fast-modules.ts";

findModulesFast();
