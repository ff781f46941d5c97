import type { Conversation } from "./conversation.ts";

/** What the named groups of a trick's words caught. */
export type Found = Readonly<Record<string, string | undefined>>;

/** One row per trick. The first whose words fit, and whose tool is on offer, is done. */
export type Trick = TalkTrick | ToolTrick;

/** Answers from the conversation alone. */
type TalkTrick = {
  readonly words: readonly RegExp[];
  /** A line for the list of what can be tried; empty for none. */
  readonly help: string;
  say(found: Found, conversation: Conversation): string;
};

/** Calls a tool, then phrases what it gave back. */
export type ToolTrick = {
  readonly words: readonly RegExp[];
  readonly help: string;
  /** Any of these tools will do. */
  readonly needs: readonly string[];
  /** An argument under the first of its names that the tool knows. */
  args(found: Found): readonly { readonly names: readonly string[]; readonly value: string }[];
  answer(output: string, found: Found): string;
};

const polite = String.raw`^\s*(?:please,?\s+|(?:can|could|would) you\s+(?:please\s+)?)?`;
const asked = (rest: string): RegExp => new RegExp(polite + rest, "i");
const words = (group: string): string => String.raw`["“]?(?<${group}>[^"”\n]+?)["”]?\s*[.?!]*\s*$`;
const oneWord = (group: string): string =>
  String.raw`["'“\x60]?(?<${group}>[^\s"'”\x60]+?)["'”\x60]?[?!,.]*\s*$`;
const commandLine = String.raw`\x60?(?<line>[^\x60\n]+?)\x60?\s*$`;

const introduction = /\bmy name is\s+(?<name>[\p{L}\p{M}'-]+)/iu;
const readWords = [
  asked(`(?:read|open|show(?: me)?) (?:the )?(?:file )?${oneWord("path")}`),
  asked(`(?:what is|what's) in (?:the )?(?:file )?${oneWord("path")}`),
];
const readHelp = "“read FILE”, “what is in FILE?”: reads a file";
const pathNames = ["path", "file_path", "file"];
const commandNames = ["cmd", "command"];
const shells = ["exec_command", "terminal"];

export const tricks: readonly Trick[] = [
  {
    words: [
      /^\s*(?:hello|hi|hey|good (?:morning|day|evening))(?:[\s,]+(?:there|talaria|world|again))?[\s!.]*$/i,
    ],
    help: "",
    say: () =>
      "Hello! I am Talaria's built-in offline demo model. I can show how an answer streams in, how a tool is used and that a conversation is remembered. Say “help” for what you can try.",
  },
  {
    words: [/\b(?:what is|what's|do you (?:know|remember)) my name\b/i, /\bwho am I\b/i],
    help: "",
    say: (_, { said }) => {
      const name = said.map((text) => introduction.exec(text)?.groups?.["name"]).findLast(Boolean);
      return name === undefined
        ? "You have not told me your name in this conversation. Say “my name is …” first."
        : `Your name is ${name}: you told me so in this conversation.`;
    },
  },
  {
    words: [/\bwhat did I (?:say|ask|tell you|write) first\b/i, /\bmy first (?:message|question|words)\b/i],
    help: "“my name is Ada”, later “what is my name?” or “what did I say first?”: a conversation is remembered",
    say: (_, { said }) =>
      said.length < 2
        ? "This is the first thing you said in this conversation."
        : `The first thing you said was: “${said[0] ?? ""}”`,
  },
  {
    words: [introduction],
    help: "",
    say: ({ name }) => `Nice to meet you, ${name ?? "friend"}. Ask me later what your name is.`,
  },
  {
    words: [
      asked(`search (?:for|our (?:conversations|sessions) for) ${words("query")}`),
      asked(`what did we (?:say|talk|decide|write) about ${words("query")}`),
    ],
    help: "“search for X”, “what did we say about X?”: searches earlier conversations",
    needs: ["session_search"],
    args: ({ query }) => [{ names: ["query", "text", "q"], value: query ?? "" }],
    answer: (output, { query }) => `This is what session_search found for “${query ?? ""}”:\n\n${output}`,
  },
  {
    words: [asked(`write ["'“](?<content>[^"'”]+)["'”] (?:to|into) (?:the )?(?:file )?${oneWord("path")}`)],
    help: '“write "some words" to FILE”: changes a file',
    needs: ["write_file"],
    args: ({ path, content }) => [
      { names: pathNames, value: path ?? "" },
      { names: ["content", "text"], value: `${content ?? ""}\n` },
    ],
    answer: (output, { path }) => `I asked write_file to write ${path ?? "it"}. It answered:\n\n${output}`,
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
