import { fileURLToPath } from "node:url";

/** The program that people start. */
export const launcher = fileURLToPath(new URL("../../../bin/talaria", import.meta.url));
