import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createParser } from "eventsource-parser";
import { type Message, reply, userMessage } from "./conversation.ts";
import { type Side, type SideOptions, answer, said } from "./side.ts";
import { stopwatch } from "./stopwatch.ts";

/** The least that reads an answer as it comes: no store, no checks, nothing kept but the conversation. */
export const plainSide = async (options: SideOptions): Promise<Side> => reader(options, () => {});

/**
 * The same, but what is said is on the disk before it is sent, the answer before it counts as shown, and the end before
 * it is told: what anybody pays who promises that nothing is lost.
 */
export async function durableSide(options: SideOptions): Promise<Side> {
  const db = new DatabaseSync(join(options.folder, "kept.db"));
  db.exec("pragma journal_mode = wal; pragma synchronous = full; create table kept (what text, text text)");
  const insert = db.prepare("insert into kept values (?, ?)");
  const side = reader(options, (what, text) => void insert.run(what, text));
  return { ...side, [Symbol.asyncDispose]: async () => db.close() };
}

type Keep = (what: "input" | "answer" | "end", text: string) => void;

function reader({ modelUrl, body }: SideOptions, keep: Keep): Side {
  const watch = stopwatch();
  let history: readonly Message[] = [];
  return {
    open: () => void (history = []),
    async turn() {
      watch.start();
      const input = [...history, userMessage];
      keep("input", said);
      const response = await fetch(`${modelUrl}/responses`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "text/event-stream" },
        body: JSON.stringify({ ...body, input }),
      });
      let text = "";
      const parser = createParser({
        onEvent({ data }) {
          const frame = JSON.parse(data) as { readonly type: string; readonly delta?: string };
          if (frame.type === "response.output_text.delta") {
            watch.mark("first");
            text += frame.delta ?? "";
          }
          if (frame.type === "response.output_item.done") {
            keep("answer", text);
            watch.mark("text");
          }
          if (frame.type === "response.completed") {
            keep("end", "");
            watch.mark("ended");
          }
        },
      });
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
      history = [...input, reply(text)];
      return { marks: watch.marks(), afterMs: watch.elapsed(), done: text === answer };
    },
    async [Symbol.asyncDispose]() {},
  };
}
