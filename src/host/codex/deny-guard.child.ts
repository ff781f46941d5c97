import { text } from "node:stream/consumers";
import { type DenyList, whyDenied } from "./deny-guard.ts";

const list = JSON.parse(Buffer.from(process.argv[2] ?? "", "base64url").toString()) as DenyList;
const why = whyDenied(JSON.parse(await text(process.stdin)), list);
if (why !== undefined) {
  process.stderr.write(why);
  process.exitCode = 2;
}
