import type { OfferedTool } from "../../src/models/demo/demo-request.ts";

/** stop: while the model thinks · loop: on our own loop · quit: after the program was ended and started again */
export type Way = "plain" | "stop" | "loop" | "quit";

/** What the model tries in one turn, all in one answer. */
export type Step = { readonly tries: readonly OfferedTool[]; readonly way: Way };

/** One session: something is begun, touched in the turn after it, and looked back at. */
export type Story = { readonly name: string; readonly steps: readonly [Step, Step, Step] };

const ways: readonly Way[] = ["plain", "stop", "loop", "quit"];

/** Every tool that is offered alone, in each way that a conversation can go on, and those that begin something with every other. */
export function everyStory(tools: readonly OfferedTool[]): readonly Story[] {
  const alone = tools.flatMap((tool) => ways.map((way) => story([tool], [], way)));
  const pairs = tools
    .filter(beginsSomething)
    .flatMap((first) =>
      tools.map((second, at) => story([first], [second], ways[at % ways.length] ?? "plain")),
    );
  return [...alone, ...pairs];
}

/** The one with these tools in its turns. */
export function storyOf(tools: readonly OfferedTool[], ...steps: readonly StepOf[]): Story {
  const [first = nothing, second = nothing, third = nothing] = steps.map(([names, way = "plain"]): Step => ({
    tries: tools.filter(({ name }) => names.includes(name)),
    way,
  }));
  const name = steps.map(([names, way]) => [...names, ...(way === undefined ? [] : [way])].join("+"));
  return { name: name.join("/"), steps: [first, second, third] };
}

type StepOf = readonly [tools: readonly string[], way?: Way];
const nothing: Step = { tries: [], way: "plain" };

/** By name, because what a tool of tomorrow begins nobody can know: that one is tried alone. */
const beginsSomething = ({ name }: OfferedTool): boolean =>
  /^(exec|exec_command|create_goal|spawn_agent|sleep|request_user_input_async|terminal)$/.test(name);

const story = (first: readonly OfferedTool[], second: readonly OfferedTool[], way: Way): Story => ({
  name: [...first, ...second].map(({ name }) => name).join("+") + `/${way}`,
  steps: [{ tries: first, way: "plain" }, { tries: second, way }, nothing],
});
