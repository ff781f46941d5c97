import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * Stack traces of the bundle name the source files it was made of. Node can do that, too, but reads every map while it starts;
 * here a map is read when somebody looks at a stack with its file in it. It takes up to 35 MB, which are given back.
 */
export function nameSourceFiles(): void {
  const maps = new Map<string, WeakRef<SourceMap>>();
  const mapOf = (file: string): SourceMap | undefined => {
    const map = maps.get(file)?.deref() ?? readMap(file);
    if (map !== undefined) maps.set(file, new WeakRef(map));
    return map;
  };
  Error.prepareStackTrace = (error, sites) =>
    [String(error), ...sites.map((site) => `    at ${inSource(site, mapOf)}`)].join("\n");
}

function inSource(site: NodeJS.CallSite, mapOf: (file: string) => SourceMap | undefined): string {
  const [text, url] = [String(site), site.getFileName() ?? ""];
  const [line, column] = [site.getLineNumber(), site.getColumnNumber()];
  if (!url.startsWith("file:") || line === null || column === null) return text;
  const file = fileURLToPath(url);
  const origin = mapOf(file)?.findOrigin(line, column);
  if (origin === undefined || !("fileName" in origin)) return text;
  const source = pathToFileURL(resolve(dirname(file), origin.fileName)).href;
  return text.replace(`${url}:${line}:${column}`, `${source}:${origin.lineNumber}:${origin.columnNumber}`);
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")) as SourceMapPayload);
  } catch {
    return undefined; // Then the trace names the file of the bundle.
  }
}
