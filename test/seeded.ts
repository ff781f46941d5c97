import { configureGlobal } from "fast-check";

export * from "fast-check";

/** The same cases in every run, so that what fails for one fails for all. TALARIA_TEST_SEED tries others. */
configureGlobal({ seed: Number(process.env["TALARIA_TEST_SEED"] ?? 2026) });
