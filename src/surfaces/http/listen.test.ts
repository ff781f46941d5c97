import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { testFolder } from "../../../test/temp-folder.ts";
import type { HttpSettings } from "../../core/access.ts";
import { FaultError } from "../../core/faults.ts";
import { listen } from "./listen.ts";

test("a certificate that is none is told with its file and its setting", async (t) => {
  const file = join(await testFolder(t), "cert.pem");
  await writeFile(file, "not a certificate");
  const settings = { host: "127.0.0.1", tls: { cert: file, key: file } } as HttpSettings;
  await assert.rejects(
    listen(settings, 0),
    (error) =>
      error instanceof FaultError &&
      error.fault.code === "config" &&
      error.fault.message.includes(file) &&
      error.fault.next.includes("http.tls_cert"),
  );
});
