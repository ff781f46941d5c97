import type { Tool } from "../../tools/tool.ts";
import { kanbanDesk } from "../../work/index.ts";
import type { Foundation } from "../foundation.ts";

/** The tools of boards. Who has which of them is for `toolsOf`. */
export const hostKanbanTools =
  ({ store, clock, loaded }: Pick<Foundation, "store" | "clock" | "loaded">) =>
  async (): Promise<readonly Tool[]> => {
    const { kanbanTools } = await import("../../tools/kanban/kanban.ts");
    return kanbanTools(kanbanDesk({ store, clock, runtime: () => loaded.config.model.runtime }));
  };
