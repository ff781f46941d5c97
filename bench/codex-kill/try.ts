import { codexCut } from "./codex-cut.ts";
import { ownCut } from "./own-cut.ts";
const codex = process.argv[2] as "real";
const ks = process.argv.slice(3).map(Number);
const mut = process.env["MUT"] as never;
for (const k of ks) { const t = performance.now(); const cut = codex === "own" as never ? await ownCut(k, mut) : await codexCut(codex, k || undefined, mut); const {broken, ...rest} = cut; console.log(k, Math.round(performance.now() - t), JSON.stringify(rest), broken.map((l) => "\n    " + l).join("")); }
