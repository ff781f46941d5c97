/** An answer of a model, as a stream of the Responses protocol. */
export const sse = (items: readonly object[]): string =>
  [
    { type: "response.created", response: { id: "r" } },
    ...items.map((item, at) => ({ type: "response.output_item.done", output_index: at, item })),
    {
      type: "response.completed",
      response: { id: "r", usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } },
    },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");

export const says = (text: string): readonly object[] => [
  { type: "message", role: "assistant", id: "m", content: [{ type: "output_text", text }] },
];

/** A call of a function, in a namespace or not. */
export const calls = (name: string, args: object, namespace?: string): object => ({
  type: "function_call",
  id: `f_${name}`,
  call_id: `call_${namespace ?? ""}${name}`,
  name,
  ...(namespace === undefined ? {} : { namespace }),
  arguments: JSON.stringify(args),
});

/** A script of a model that writes code. */
export const script = (input: string): object => ({
  type: "custom_tool_call",
  id: "e",
  call_id: "call_exec",
  name: "exec",
  input,
});
