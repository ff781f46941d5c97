export type Upload = { readonly name: string; readonly mediaType: string; readonly bytes: Buffer };
export type Form = { readonly fields: Record<string, unknown>; readonly files: ReadonlyMap<string, Upload> };

/** A body of multipart/form-data; fields that hold JSON are read as such, since the platform takes both. */
export function parsedForm(body: Buffer, contentType: string): Form {
  const boundary = /boundary=(?:"([^"]+)"|([^;]+))/.exec(contentType);
  const mark = Buffer.from(`--${boundary?.[1] ?? boundary?.[2] ?? ""}`);
  const fields: Record<string, unknown> = {};
  const files = new Map<string, Upload>();
  for (let at = body.indexOf(mark); at >= 0;) {
    const next = body.indexOf(mark, at + mark.length);
    if (next < 0) break;
    const part = body.subarray(at + mark.length + 2, next - 2);
    const headEnd = part.indexOf("\r\n\r\n");
    const head = part.subarray(0, headEnd).toString("utf8");
    const content = part.subarray(headEnd + 4);
    const name = /name="([^"]*)"/.exec(head)?.[1] ?? "";
    const fileName = /filename=(?:"([^"]*)"|([^\r\n;]+))/.exec(head);
    const mediaType = /content-type: *([^\r\n]+)/i.exec(head)?.[1] ?? "application/octet-stream";
    if (fileName === null) fields[name] = readField(content.toString("utf8"));
    if (fileName !== null) {
      files.set(name, { name: fileName[1] ?? fileName[2] ?? "", mediaType, bytes: Buffer.from(content) });
    }
    at = next;
  }
  return { fields, files };
}

function readField(text: string): unknown {
  if (!/^[[{]|^-?\d+$|^(?:true|false)$/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
