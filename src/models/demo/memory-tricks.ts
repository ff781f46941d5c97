import { asked } from "./trick-words.ts";
import type { Trick } from "./trick.ts";

/** Both work on what Talaria keeps between conversations, not on what was said in this one. */
export const memoryTricks: readonly Trick[] = [
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
    say: (_, { told }) => {
      const entries = remembered(told);
      return entries.length === 0
        ? "Nothing that was there when this conversation began. Say “remember that …”, then ask me in a new one."
        : `From earlier conversations I know:\n\n${entries.map((entry) => `- ${entry}`).join("\n")}`;
    },
  },
];

/** The entries under the headings of memory, without the day behind each. */
const remembered = (told: string): readonly string[] =>
  [...told.matchAll(/^## Memory[^\n]*\n(?<list>(?:- [^\n]*(?:\n {2}[^\n]*)*\n?)+)/gm)].flatMap(({ groups }) =>
    (groups?.["list"] ?? "")
      .split(/^- /m)
      .map((entry) => entry.trim().replace(/ \(\d{4}-\d\d-\d\d\)$/, ""))
      .filter((entry) => entry !== ""),
  );
