import assert from "node:assert/strict";
import { test } from "node:test";
import { asId } from "../../core/ids.ts";
import { terminals } from "./terminals.ts";

test("a session has the terminal it was typed in last, and what it hands on has it, too", () => {
  const [mine, task, other] = [asId<"ses">("ses_1"), asId<"ses">("ses_2"), asId<"ses">("ses_3")];
  const known = terminals();
  known.typedIn({ id: mine }, { WHERE: "here" });
  known.handedOn({ id: task, parent: mine });
  known.handedOn({ id: other });
  assert.deepEqual(
    [known.of(mine), known.of(task), known.of(other)],
    [{ WHERE: "here" }, { WHERE: "here" }, undefined],
  );
  known.typedIn(mine, undefined);
  assert.equal(known.of(mine), undefined, "it was typed in the one that this process was started in");
});
