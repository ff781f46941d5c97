import type * as z from "zod";
import type { Json } from "../core/json.ts";
import type { ValueTypes } from "./schema.ts";

/** One key of config.yaml. */
export type Setting = {
  /** A kind of value, or the words that it can be. */
  readonly type: keyof ValueTypes | readonly [string, ...string[]];
  /** One sentence for the reference page. */
  readonly meaning: string;
  readonly default?: Json;
  /** Whether the map around it is wrong without it. */
  readonly required?: true;
  /** Accepted and checked, but setting it only gives a warning. */
  readonly later?: true;
  /** Names that people try instead; only for suggestions. */
  readonly confusedWith?: readonly string[];
};

/** A map of keys; with `names` one for each name that the person chooses, with `list` one for each place in a list. */
export type Section = {
  /** What the reference page says above its keys. */
  readonly about?: string;
  readonly keys: Readonly<Record<string, Setting | Section>>;
  /** What such a name is. */
  readonly names?: keyof ValueTypes & ("text" | "providerName");
  /** What is expected where it is no list. */
  readonly list?: string;
  /** Keys that nobody here knows stay in what was read. */
  readonly loose?: true;
  /** Written without a value it is there all the same: that alone says something. */
  readonly alone?: true;
};

export const isSection = (node: Setting | Section): node is Section => "keys" in node;

/** What may be spent by somebody. */
export const limit = (whom: string) =>
  ({
    keys: {
      tokens: { type: "tokens", meaning: `Tokens that ${whom} may use.` },
      usd: { type: "usd", meaning: `USD that ${whom} may cost.` },
    },
  }) as const;

/** What a file may say, by its description. */
export type Written<Node> = Node extends { readonly type: infer Type }
  ? ValueOf<Type>
  : Node extends { readonly keys: infer Keys }
    ? Node extends { readonly list: string }
      ? readonly WrittenMap<Keys>[]
      : Node extends { readonly names: string }
        ? Readonly<Record<string, WrittenMap<Keys>>>
        : WrittenMap<Keys>
    : never;

export type WrittenMap<Keys> = {
  readonly [Name in keyof Keys as Keys[Name] extends Required ? Name : never]: Written<Keys[Name]>;
} & {
  readonly [Name in keyof Keys as Keys[Name] extends Required ? never : Name]?: Written<Keys[Name]>;
};

/** What holds in a section for which nobody wrote a line. */
export type DefaultsIn<Node> = Node extends { readonly list: string }
  ? readonly []
  : Node extends { readonly keys: infer Keys }
    ? {
        readonly [
          Name in keyof Keys as Keys[Name] extends { readonly default: Json } ? Name : never
        ]: Written<Keys[Name]>;
      }
    : unknown;

type Required = { readonly required: true };

type ValueOf<Type> = Type extends keyof ValueTypes
  ? z.output<ReturnType<ValueTypes[Type]>>
  : Type extends readonly (infer Word)[]
    ? Word
    : never;
