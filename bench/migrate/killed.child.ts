/** One migration that ends itself with SIGKILL before its n-th step on the disk; without a number it counts them. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { argv, env, stdout } from "node:process";

const [, , home = "", count = "", killAt = ""] = argv;
let steps = 0;
let counting = false;

function step(): void {
  if (!counting) return;
  steps += 1;
  if (steps === Number(killAt)) process.kill(process.pid, "SIGKILL");
}

type Functions = Record<string, (...args: never[]) => unknown>;

/** Reading changes nothing, but a kill before it comes after what was changed before. */
function watched(object: Functions, names: readonly string[]): void {
  for (const name of names) {
    const original = object[name];
    if (original === undefined) throw new Error(`Node has no ${name} any more`);
    object[name] = function counted(this: unknown, ...args: never[]) {
      step();
      return original.apply(this, args);
    };
  }
}

const asynchronous = [
  "chmod",
  "link",
  "mkdir",
  "open",
  "readFile",
  "readdir",
  "rename",
  "stat",
  "unlink",
  "writeFile",
];
watched(fs.promises as unknown as Functions, asynchronous);
watched(fs as unknown as Functions, ["copyFileSync", "linkSync", "renameSync"]);
const handle = await fs.promises.open(home);
watched(Object.getPrototypeOf(handle) as Functions, ["chmod", "chown", "sync", "writeFile"]);
await handle.close();
syncBuiltinESMExports();

const { migrateAt } = await import("./world.ts");
counting = true;
await migrateAt(home, Number(count), env);
counting = false;
stdout.write(`${steps}\n`);
