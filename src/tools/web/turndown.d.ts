/** The part of the package that is used here; it brings no types. */
declare module "turndown" {
  export type TurndownNode = {
    readonly nodeName: string;
    readonly parentNode: TurndownNode | null;
    readonly firstElementChild: TurndownNode | null;
    readonly previousElementSibling: TurndownNode | null;
    readonly childElementCount: number;
    getAttribute(name: string): string | null;
  };
  export type TurndownRule = {
    readonly filter: readonly string[];
    readonly replacement: (content: string, node: TurndownNode) => string;
  };
  export default class Turndown {
    constructor(options: {
      readonly headingStyle: "atx";
      readonly codeBlockStyle: "fenced";
      readonly bulletListMarker: "-";
    });
    addRule(name: string, rule: TurndownRule): this;
    remove(names: readonly string[]): this;
    turndown(html: string): string;
  }
}
