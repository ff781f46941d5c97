import { dispatcherSuite } from "./dispatcher.suite.ts";
import { inProcessDispatcher } from "./in-process.ts";

// Its times are those of a clock that is moved by hand, and a server tells of another's writes in its own time: what came
// first would differ from run to run. Work on PostgreSQL as a whole is tried in ../work.test.ts.
if (process.env["TALARIA_TEST_ENGINE"] !== "postgres") dispatcherSuite("in process", inProcessDispatcher);
