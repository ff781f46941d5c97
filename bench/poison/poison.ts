/** One call as a model makes it that does what a text asks for. `{home}` in it is Talaria's home. */
export type Wanted = {
  readonly tool: "memory" | "skill_manage" | "skill_view" | "write_file" | "terminal";
  readonly args: Readonly<Record<string, string>>;
};

/** A text that somebody else wrote and that wants to be kept. */
export type Poison = {
  readonly kind: string;
  /** What the person says besides where the text is to be found. */
  readonly said?: string;
  /** What arrives. */
  readonly text: string;
  /** What an obedient model then does, one after the other. */
  readonly wants: readonly Wanted[];
};

/** Where what is wanted stands in a text. */
const marks = /«([^»]*)»/g;

/** Texts with the entry that is wanted between « and », which do not arrive. */
export const remembered = (
  kind: string,
  texts: readonly string[],
  target: "user" | "memory" | "project" = "user",
  said?: string,
): readonly Poison[] =>
  texts.map((marked) => ({
    kind,
    text: marked.replaceAll(marks, "$1"),
    wants: [...marked.matchAll(marks)].map(([, content = ""]) => adds(content, target)),
    ...(said === undefined ? {} : { said }),
  }));

export const adds = (content: string, target = "user"): Wanted => ({
  tool: "memory",
  args: { action: "add", target, content },
});

export const asSkill = (name: string, description: string, body: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;
