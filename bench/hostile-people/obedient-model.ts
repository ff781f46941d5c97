import type { DemoRequest, OfferedTool } from "../../src/models/demo/demo-request.ts";
import { type Reply, textReply } from "../../src/models/demo/reply.ts";
import { type AnsweringModel, startAnsweringModel } from "../answering-model.ts";

/** What a message asks the model to do, one call after the other. */
export type Deed = { readonly tool: string; readonly args: Readonly<Record<string, unknown>> };

/** A message with which the model does these, and then tells all that it got. `mark` is in whatever comes of it. */
export const asking = (mark: string, deeds: readonly Deed[], words = "Please do this."): string =>
  [`${words} [${mark}]`, ...deeds.map((deed) => `DO ${JSON.stringify(deed)}`)].join("\n");

/** How its last words begin. */
export const endOf = (mark: string): string => `The end of ${mark}.`;

export type ObedientModel = AnsweringModel & {
  /** All that it was given while it answered this message. */
  given(mark: string): string;
};

/** Does whatever it is told, and keeps nothing to itself. */
export async function startObedientModel(): Promise<ObedientModel> {
  const bodies = new Map<string, string>();
  const model = await startAnsweringModel((request, body) => {
    const said = request.userTexts.at(-1) ?? "";
    const mark = /\[([\w-]+)\]/.exec(said)?.[1] ?? "";
    bodies.set(mark, `${bodies.get(mark) ?? ""}\n${body}`);
    return answer(request, said, mark);
  });
  return {
    url: model.url,
    get reported() {
      return model.reported;
    },
    given: (mark) => bodies.get(mark) ?? "",
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  };
}

function answer({ results, tools }: DemoRequest, said: string, mark: string): Reply {
  const deeds = [...said.matchAll(/^DO (\{.*\})$/gm)].map(([, json = "{}"]) => JSON.parse(json) as Deed);
  const next = deeds[results.length];
  if (next !== undefined) return { content: [called(next, tools)] };
  const told = results.map(({ output }) => output.slice(0, 600)).join("\n");
  return textReply(`${endOf(mark)} ${told}`);
}

/** Codex has its own tool for commands and files; ours may stand in a namespace there. */
function called({ tool, args }: Deed, tools: readonly OfferedTool[]): Reply["content"][number] {
  const command = asCommand({ tool, args });
  const hasExec = tools.some(({ name }) => name === "exec_command");
  if (hasExec && command !== undefined)
    return { kind: "call", tool: "exec_command", args: JSON.stringify(command) };
  const offered = tools.find(({ name }) => name === tool || name.endsWith(`__${tool}`));
  const { name = tool, namespace } = offered ?? {};
  return {
    kind: "call",
    tool: name,
    ...(namespace === undefined ? {} : { namespace }),
    args: JSON.stringify(args),
  };
}

function asCommand({ tool, args }: Deed): object | undefined {
  const wait = { yield_time_ms: 20_000 };
  if (tool === "terminal")
    return {
      cmd: args["command"],
      ...wait,
      ...(args["escalate"] === true
        ? { sandbox_permissions: "require_escalated", justification: "It is harmless." }
        : {}),
    };
  if (tool === "read_file") return { cmd: `cat '${String(args["path"])}'`, ...wait };
  if (tool === "write_file")
    return { cmd: `printf %s '${String(args["content"])}' > '${String(args["path"])}'`, ...wait };
  return undefined;
}
