import { toolTricks } from "./tool-tricks.ts";
import { asked, type Trick } from "./trick.ts";

/** Both work on what Talaria keeps between conversations, not on what was said in this one. */
const memoryTricks: readonly Trick[] = [
  {
    words: [asked(String.raw`remember(?: that|:)?\s+(?<fact>(?!my\s+first\b)\S[^\n]*?)[\s.!]*$`)],
    help: "“remember that I indent with tabs”, in a later conversation “what do you know about me?”: memory",
    needs: ["memory"],
    args: ({ fact }) => [
      { names: ["action"], value: "add" },
      { names: ["target"], value: "user" },
      { names: ["content"], value: fact ?? "" },
    ],
    answer: (output) => `I asked memory to keep it. It answered:\n\n${output}`,
  },
  {
    words: [/\bwhat do you (?:know|remember)(?: (?:about|of) me)?\s*[?.!]*\s*$/i],
    help: "",
    say: (_, { instructions }) => {
      const entries = remembered(instructions);
      return entries.length === 0
        ? "Nothing that was there when this conversation began. Say “remember that …”, then ask me in a new one."
        : `From earlier conversations I know:\n\n${entries.map((entry) => `- ${entry}`).join("\n")}`;
    },
  },
];

/** The entries under the headings of memory, without the day behind each. */
const remembered = (instructions: string): readonly string[] =>
  [...instructions.matchAll(/^## Memory[^\n]*\n(?<list>(?:- [^\n]*(?:\n {2}[^\n]*)*\n?)+)/gm)].flatMap(
    ({ groups }) =>
      (groups?.["list"] ?? "")
        .split(/^- /m)
        .map((entry) => entry.trim().replace(/ \(\d{4}-\d\d-\d\d\)$/, ""))
        .filter((entry) => entry !== ""),
  );

const introduction = /\bmy name is\s+(?<name>[\p{L}\p{M}'-]+)/iu;

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
    say: (_, { userTexts }) => {
      const name = userTexts.map((text) => introduction.exec(text)?.groups?.["name"]).findLast(Boolean);
      return name === undefined
        ? "You have not told me your name in this conversation. Say “my name is …” first."
        : `Your name is ${name}: you told me so in this conversation.`;
    },
  },
  {
    words: [/\bwhat did I (?:say|ask|tell you|write) first\b/i, /\bmy first (?:message|question|words)\b/i],
    help: "“my name is Ada”, later “what is my name?” or “what did I say first?”: a conversation is remembered",
    say: (_, { userTexts }) =>
      userTexts.length < 2
        ? "This is the first thing you said in this conversation."
        : `The first thing you said was: “${userTexts[0] ?? ""}”`,
  },
  {
    words: [introduction],
    help: "",
    say: ({ name }) => `Nice to meet you, ${name ?? "friend"}. Ask me later what your name is.`,
  },
  ...memoryTricks,
  ...toolTricks,
];
