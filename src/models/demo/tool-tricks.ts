import { asked, commandLine, oneWord, words, type ToolTrick } from "./trick.ts";

const readWords = [
  asked(`(?:read|open|show(?: me)?) (?:the )?(?:file )?${oneWord("path")}`),
  asked(`(?:what is|what's) in (?:the )?(?:file )?${oneWord("path")}`),
];
const readHelp = "“read FILE”, “what is in FILE?”: reads a file";
const pathNames = ["path", "file_path", "file"];
const commandNames = ["cmd", "command"];
const shells = ["exec_command", "terminal"];
const writeWords = [
  asked(`write ["'“](?<content>[^"'”]+)["'”] (?:to|into) (?:the )?(?:file )?${oneWord("path")}`),
  asked(
    String.raw`write (?:(?:to|into) )?(?:the )?(?:file )?["'\x60]?(?<path>[^\s"'\x60:]+)["'\x60]?:\s*(?<content>\S[\s\S]*)$`,
  ),
];
const writeHelp = '“write FILE: some words”, “write "some words" to FILE”: writes a file';
const inFiles = String.raw`(?:the |my |all )*files`;

const searchWords = [
  asked(`search (?:for|our (?:conversations|sessions) for) ${words("query")}`),
  asked(`what did we (?:say|talk|decide|write) about ${words("query")}`),
];
const plainSearch: ToolTrick["args"] = ({ query }) => [
  { names: ["pattern", "query"], value: query ?? "" },
  { names: ["literal"], value: true },
];
const foundInFiles: ToolTrick["answer"] = (output, { query }) =>
  `This is what search_files found for “${query ?? ""}”:\n\n${output}`;
const withNewline = (content = ""): string => `${content.replace(/\n$/, "")}\n`;
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const newFilePatch = (path = "", content = ""): string => {
  const lines = withNewline(content).split("\n").slice(0, -1);
  return [
    "*** Begin Patch",
    `*** Add File: ${path}`,
    ...lines.map((line) => `+${line}`),
    "*** End Patch",
  ].join("\n");
};

export const toolTricks: readonly ToolTrick[] = [
  {
    words: [
      asked(`search ${inFiles} for ${words("query")}`),
      asked(String.raw`(?:search for|find) ["“]?(?<query>[^"”\n]+?)["”]? in ${inFiles}\s*[.?!]*\s*$`),
      asked(`grep (?:for )?${words("query")}`),
    ],
    help: "“search the files for X”: looks for X in the files here",
    needs: ["search_files"],
    args: plainSearch,
    answer: foundInFiles,
  },
  {
    words: searchWords,
    help: "“search for X”, “what did we say about X?”: searches earlier conversations",
    needs: ["session_search"],
    args: ({ query }) => [{ names: ["query", "text", "q"], value: query ?? "" }],
    answer: (output, { query }) => `This is what session_search found for “${query ?? ""}”:\n\n${output}`,
  },
  {
    words: searchWords.slice(0, 1),
    help: "",
    needs: ["search_files"],
    args: plainSearch,
    answer: foundInFiles,
  },
  {
    words: writeWords,
    help: writeHelp,
    needs: ["write_file"],
    args: ({ path, content }) => [
      { names: pathNames, value: path ?? "" },
      { names: ["content", "text"], value: withNewline(content) },
    ],
    answer: (output, { path }) => `I asked write_file to write ${path ?? "it"}. It answered:\n\n${output}`,
  },
  {
    words: writeWords,
    help: writeHelp,
    needs: ["apply_patch"],
    args: ({ path, content }) => [{ names: ["input", "patch"], value: newFilePatch(path, content) }],
    answer: (output, { path }) => `I asked apply_patch to write ${path ?? "it"}. It answered:\n\n${output}`,
  },
  {
    words: writeWords,
    help: writeHelp,
    needs: shells,
    args: ({ path, content }) => [
      { names: commandNames, value: `printf '%s' ${quoted(withNewline(content))} > ${quoted(path ?? "")}` },
    ],
    answer: (output, { path }) => `I wrote ${path ?? "it"} with a command. The output:\n\n${output}`,
  },
  {
    words: [
      asked(
        String.raw`(?:replace|change) ["'“]?(?<old>[^\n]+?)["'”]? (?:with|by|to) ["'“]?(?<fresh>[^\n]*?)["'”]? in (?:the )?(?:file )?${oneWord("path")}`,
      ),
    ],
    help: "“replace A with B in FILE”: changes a part of a file",
    needs: ["patch"],
    args: ({ path, old, fresh }) => [
      { names: pathNames, value: path ?? "" },
      { names: ["edits"], value: [{ old: old ?? "", new: fresh ?? "" }] },
    ],
    answer: (output, { path }) => `I asked patch to change ${path ?? "it"}. It answered:\n\n${output}`,
  },
  {
    words: [
      asked(String.raw`(?:list|show)(?: me)? (?:the |all |my )*files\b[^\n]*$`),
      /\bwhat files are (?:here|there)\b/i,
    ],
    help: "“list files”: shows what is in the folder",
    needs: shells,
    args: () => [{ names: commandNames, value: "ls -a" }],
    answer: (output) => `These files are here:\n\n${output}`,
  },
  {
    words: readWords,
    help: readHelp,
    needs: ["read_file"],
    args: ({ path }) => [{ names: pathNames, value: path ?? "" }],
    answer: (output, { path }) => `I asked read_file for ${path ?? "it"}. It answered:\n\n${output}`,
  },
  {
    words: readWords,
    help: readHelp,
    needs: shells,
    args: ({ path }) => [{ names: commandNames, value: `cat -- '${path ?? ""}'` }],
    answer: (output, { path }) => `I looked into ${path ?? "it"}:\n\n${output}`,
  },
  {
    words: [asked(`(?:run|execute)(?: the command)? ${commandLine}`)],
    help: "“run CMD”: runs a command",
    needs: shells,
    args: ({ line }) => [{ names: commandNames, value: line ?? "" }],
    answer: (output, { line }) => `I ran \`${line ?? ""}\`. The output:\n\n${output}`,
  },
];
