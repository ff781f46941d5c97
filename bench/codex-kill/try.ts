import { codexCut } from "./codex-cut.ts";
const codex = process.argv[2] as "real";
const ks = process.argv.slice(3).map(Number);
for (const k of ks) { const t = performance.now(); const cut = await codexCut(codex, k || undefined, process.env["MUT"] as never); console.log(k, Math.round(performance.now() - t), JSON.stringify(cut)); }
