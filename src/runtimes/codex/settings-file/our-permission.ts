import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isOurPermission, permissionLine } from "./old-block.ts";
import { layoutOf } from "./toml-layout.ts";

/**
 * Is `default_permissions` in codex's settings the line that we wrote there? Then it is nobody's choice: codex reports it
 * like one of the person's, because its reader passes over comments.
 */
export async function permissionIsOurs(codexHome: string): Promise<boolean> {
  const text = await readFile(join(codexHome, "config.toml"), "utf8").catch(() => "");
  if (!text.includes(permissionLine)) return false;
  const plain = text.replace(/^\uFEFF/, "");
  try {
    return layoutOf(plain).entries.some((entry) => isOurPermission(plain, entry));
  } catch {
    return false; // codex cannot read it either, and says so when the thread is started
  }
}
