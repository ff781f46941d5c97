import { describe } from "node:test";
import { approvalTests } from "./suite/approvals.suite.ts";
import { beginTests } from "./suite/begin.suite.ts";
import { callTests } from "./suite/calls.suite.ts";
import { compactionTests } from "./suite/compactions.suite.ts";
import { eventTests } from "./suite/events.suite.ts";
import { faultTests } from "./suite/faults.suite.ts";
import { forkTests } from "./suite/fork.suite.ts";
import { grantTests } from "./suite/grants.suite.ts";
import { inboxTests } from "./suite/inbox.suite.ts";
import { inquiryTests } from "./suite/inquiries.suite.ts";
import { leaseTests } from "./suite/leases.suite.ts";
import { searchTests } from "./suite/search.suite.ts";
import { sessionTests } from "./suite/sessions.suite.ts";
import { learningTests } from "./suite/learning.suite.ts";
import { toolTableTests } from "./suite/tool-tables.suite.ts";
import { smallTableTests } from "./suite/small-tables.suite.ts";
import { steeredTests } from "./suite/steered.suite.ts";
import { textTests } from "./suite/text.suite.ts";
import { turnTests } from "./suite/turns.suite.ts";
import { undoTests } from "./suite/undo.suite.ts";
import { usageTests } from "./suite/usage.suite.ts";
import type { Open } from "./suite/world.suite.ts";

/** What every store must do, whatever database is under it. */
export function storeSuite(name: string, open: Open): void {
  describe(`store: ${name}`, () => {
    sessionTests(open);
    inboxTests(open);
    leaseTests(open);
    turnTests(open);
    callTests(open);
    steeredTests(open);
    beginTests(open);
    smallTableTests(open);
    toolTableTests(open);
    learningTests(open);
    approvalTests(open);
    inquiryTests(open);
    grantTests(open);
    usageTests(open);
    compactionTests(open);
    undoTests(open);
    forkTests(open);
    eventTests(open);
    searchTests(open);
    textTests(open);
    faultTests(open);
  });
}
