/** The part of a document that is used here. */
export type PageElement = {
  readonly localName: string;
  readonly innerHTML: string;
  readonly outerHTML: string;
  readonly children: Iterable<PageElement>;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
};
export type PageDocument = {
  readonly title: string;
  readonly documentElement: PageElement | null;
  readonly body: PageElement | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
};

/** The parser leaves out what HTML lets authors leave out, so a page without a head or a body is put together anew. */
export async function wholeDocument(html: string): Promise<PageDocument> {
  const { parseHTML } = await import("linkedom");
  const parse = (text: string): PageDocument =>
    (parseHTML(text) as unknown as { readonly document: PageDocument }).document;
  const document = parse(html);
  const shape = [...(document.documentElement?.children ?? [])].map(({ localName }) => localName);
  if (document.documentElement?.localName === "html" && shape.join() === "head,body") return document;
  const loose = parse(`<html><div>${html}</div></html>`);
  const head = [...loose.querySelectorAll("title, meta, base")].map((element) => {
    element.remove();
    return element.outerHTML;
  });
  const body = loose.querySelector("body") ?? loose.querySelector("div");
  return parse(
    `<!doctype html><html><head>${head.join("")}</head><body>${body?.innerHTML ?? ""}</body></html>`,
  );
}
