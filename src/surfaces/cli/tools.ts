import { toolListText } from "../../operations/text/tool-list-text.ts";
import type { Action, Actions } from "./action.ts";

const list: Action = async (client) => {
  const rows = await client.call("tools.list", {});
  return { text: toolListText(rows), rows };
};

const turn =
  (switched: "on" | "off"): Action =>
  async (client, { words: names }) => {
    const done = await client.call("tools.switch", { names, on: switched === "on" });
    const { changed, file, ignoredByCodex: unheeded } = done;
    const text =
      changed.length === 0
        ? `Already ${switched}: ${names.join(", ")}. Nothing was changed.`
        : [
            `Switched ${switched}: ${changed.join(", ")}.`,
            `It is in ${file}. A Talaria that runs now keeps its tools.`,
            ...unheeded,
          ].join("\n");
    return { text, rows: [{ switched, changed, file, unheeded }] };
  };

/** `talaria tools …`. */
export const actions: Actions = { list, on: turn("on"), off: turn("off") };
