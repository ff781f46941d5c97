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

/** Only for these. */
export function storiesOf(
  tools: readonly OfferedTool[],
  wanted: readonly (readonly [first: string, second: string | undefined, way: Way])[],
): readonly Story[] {
  const named = (name: string | undefined): readonly OfferedTool[] =>
    tools.filter((tool) => tool.name === name);
  return wanted.map(([first, second, way]) => story(named(first), named(second), way));
}

/** By name, because what a tool of tomorrow begins nobody can know: that one is tried alone. */
const beginsSomething = ({ name }: OfferedTool): boolean =>
  /^(exec|exec_command|create_goal|spawn_agent|sleep|request_user_input_async|terminal)$/.test(name);

const story = (first: readonly OfferedTool[], second: readonly OfferedTool[], way: Way): Story => ({
  name: [...first, ...second].map(({ name }) => name).join("+") + `/${way}`,
  steps: [
    { tries: first, way: "plain" },
    { tries: second, way },
    { tries: [], way: "plain" },
  ],
});
