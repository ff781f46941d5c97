import * as fc from "../../../../test/seeded.ts";
import type { WantedSettings } from "./block.ts";

/** Files as people write them, with everything that could be mistaken for a table, a mark or the end of something. */
export const personFile: fc.Arbitrary<string> = fc
  .record({
    root: fc.array(fc.nat(), { maxLength: 6 }),
    tables: fc.array(fc.tuple(fc.nat(), fc.array(fc.nat(), { maxLength: 4 })), { maxLength: 4 }),
    servers: fc.nat(),
    plugins: fc.nat(),
    limits: fc.nat(),
    end: fc.constantFrom("\n", "\r\n", "mixed"),
    mark: fc.boolean(),
    lastEnd: fc.boolean(),
  })
  .map(({ root, tables, servers, plugins, limits, end, mark, lastEnd }) => {
    const own = pick(serverForms, servers);
    const other = pick(pluginForms, plugins);
    const lines = [
      ...root.flatMap((choice, at) => rootLines(choice, `r${at}`)),
      ...pick(limitForms, limits),
      ...own.root,
      ...other.root,
      ...tables.flatMap(([choice, entries], at) => tableLines(choice, entries, `t${at}`)),
      ...own.tables,
      ...other.tables,
    ];
    const text = lines.map((line, at) => line + lineEnd(end, at)).join("");
    return (mark ? "\uFEFF" : "") + (lastEnd ? text : text.replace(/\r?\n$/, ""));
  });

const pick = <Item>(items: readonly Item[], choice: number): Item => items[choice % items.length] as Item;

/** Inside a text of several lines, too: there it is a part of what the text says. */
const lineEnd = (kind: string, at: number): string => {
  if (kind !== "mixed") return kind;
  return at % 3 === 0 ? "\r\n" : "\n";
};

const values = [
  "1",
  "0xff",
  "9223372036854775807",
  "1.5e-3",
  "nan",
  "true",
  "1979-05-27T07:32:00-08:00",
  "07:32:00",
  '"plain"',
  String.raw`"[not.a.table] # no comment \" \\ \u00e9"`,
  "'C:\\[x]\\'",
  '"# >>> talaria: no mark >>>"',
  "[ 1, 2 ]",
  '[ "[a]", { b = [ "]" ] } ]',
  "{ a = 1, b.c = 2, d = [ { e = '}' } ] }",
  "{}",
  '""',
];

const valueLines = (choice: number): readonly string[] =>
  pick(
    [
      ...values.map((value) => [value]),
      ["[", "  '[x]', # [y]", "", "  2,", "]"],
      ['"""', "# >>> talaria: a text, no mark >>>", "[mcp_servers.none]", "a \\", '  b"""'],
      ["'''", "[[no]]", "# <<< talaria: end <<<", "'''"],
    ],
    choice,
  );

const keys = ["plain", "with-dash", '"quoted.dot"', "'lit [x]'", "a.b.c", '"".x', "_1", "1e5", "__proto__"];

function entryLines(choice: number, name: string): readonly string[] {
  const key = pick(keys, choice);
  const path = key.startsWith('""') ? `"${name}".x` : `${name}.${key}`;
  const [first = "", ...rest] = valueLines(Math.floor(choice / 7));
  const lines = [`${choice % 5 === 0 ? "  " : ""}${path} = ${first}`, ...rest];
  const comment = choice % 4 === 0 ? " # a comment, [x]" : "";
  return [...lines.slice(0, -1), `${lines.at(-1)}${comment}`];
}

const rootLines = (choice: number, name: string): readonly string[] =>
  pick([["# on its own"], [""], ["  \t"], entryLines(choice, name), entryLines(choice + 3, name)], choice);

function tableLines(choice: number, entries: readonly number[], name: string): readonly string[] {
  const header = pick(
    [`[${name}]`, `[ ${name} . "x.y" ]`, `[[${name}]]`, `  [${name}.a.b] # why`, `[[${name}.list]]`],
    choice,
  );
  const again = header.includes("[[") ? [header, "more = 1"] : [];
  const above = pick([[], ["# about the table"], ["", "# two", "# lines"], [""]], choice);
  return [...above, header, ...entries.flatMap((entry, at) => entryLines(entry, `k${at}`)), ...again];
}

type Form = { readonly root: readonly string[]; readonly tables: readonly string[] };

/** Some of the names are those of the wishes below. */
const serverForms: readonly Form[] = [
  { root: [], tables: [] },
  {
    root: [],
    tables: ["# mine", "[mcp_servers.alpha]", 'command = "mine"', "", '[mcp_servers."my.own"]', 'url = "u"'],
  },
  { root: [], tables: ["[mcp_servers]", 'alpha = { command = "mine" }', 'beta.command = "mine"'] },
  { root: ['mcp_servers.alpha.command = "mine"', "mcp_servers.alpha.args = []"], tables: [] },
  { root: ['mcp_servers = { alpha = { command = "mine" } }'], tables: [] },
  { root: ["mcp_servers = {}"], tables: [] },
  { root: [], tables: ["[mcp_servers.alpha.tools.x]", 'approval_mode = "approve"'] },
  { root: [], tables: ["[mcp_servers.alpha.env]", 'A = "1"'] },
  { root: [], tables: ["[[mcp_servers]]", "odd = true"] },
  { root: ["mcp_servers = 3"], tables: [] },
];

const pluginForms: readonly Form[] = [
  { root: [], tables: [] },
  { root: [], tables: ['[plugins."one@shop"]', "enabled = false"] },
  { root: ['plugins."one@shop".enabled = true'], tables: [] },
  { root: ['plugins = { "one@shop" = { enabled = true } }'], tables: [] },
];

const limitForms: readonly (readonly string[])[] = [
  [],
  ['sandbox_mode = "read-only"'],
  ['default_permissions = ":read-only" # mine'],
  ["sandbox_workspace_write.network_access = true"],
  ["profiles.safe.sandbox_mode = 'read-only'"],
];

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const settings = fc.oneof(
  fc.record(
    {
      command: text,
      args: fc.array(text),
      env: fc.dictionary(text, text),
      tool_timeout_sec: fc.constant(30),
    },
    { requiredKeys: ["command"] },
  ),
  fc.record({ url: text, http_headers: fc.dictionary(text, text) }, { requiredKeys: ["url"] }),
);

/** What our settings may want to have in there. */
export const anyWish: fc.Arbitrary<WantedSettings> = fc
  .record({
    servers: fc.dictionary(
      fc.oneof(fc.constantFrom("alpha", "beta", "my.own", "talaria-tools", "constructor"), text),
      fc.record({ settings, off: fc.boolean() }),
      { maxKeys: 4 },
    ),
    plugins: fc.option(fc.dictionary(fc.constantFrom("one@shop", "two@shop"), fc.boolean()), {
      nil: undefined,
    }),
  })
  .map(({ servers, plugins }) => ({
    servers: new Map(Object.entries(servers)) as WantedSettings["servers"],
    plugins: plugins === undefined ? undefined : new Map(Object.entries(plugins)),
  }));
