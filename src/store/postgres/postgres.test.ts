import { describe } from "node:test";
import { withoutPostgres } from "../../../test/postgres.ts";
import { storeSuite } from "../store.suite.ts";
import { openPostgres } from "./world.suite.ts";

describe("the store in PostgreSQL", { skip: withoutPostgres() }, () => storeSuite("postgres", openPostgres));
