import assert from "node:assert/strict";
import { chmod, readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import * as fc from "../../test/seeded.ts";
import { parseDotEnv } from "./dotenv.ts";
import { withSecret, writeSecret } from "./secret-edit.ts";
import { tempHome } from "./temp-home.suite.ts";

test("any secret is read back as it was given, and no other line changes", () => {
  const line = fc.constantFrom("# a comment", "A=1", "export B='two'", "", "not a line", 'C="3"');
  const secret = fc.string({ unit: "grapheme", minLength: 1 }).filter((value) => value.trim() === value);
  fc.assert(
    fc.property(
      fc.array(line),
      fc.constantFrom("\n", "\r\n"),
      fc.constantFrom("A", "KEY"),
      secret,
      (lines, eol, name, value) => {
        const before = lines.join(eol);
        const after = withSecret(before, name, value);
        assert.equal(parseDotEnv(after).values.get(name), value);
        const others = (text: string): string[] =>
          text.split(/\r\n|\n/).filter((each) => each !== "" && !each.startsWith(`${name}=`));
        assert.deepEqual(others(after), others(before));
        assert.equal(withSecret(after, name, value), after);
      },
    ),
  );
});

test("the file is private before the secret is in it", async (t) => {
  const home = await tempHome(t, { env: "A=1\n" });
  const file = join(home.home, ".env");
  await chmod(file, 0o644);
  assert.equal(await writeSecret(file, "KEY", "sk-1"), true);
  assert.equal(await readFile(file, "utf8"), "A=1\nKEY=sk-1\n");
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal(await writeSecret(file, "KEY", "sk-1"), false);
  const fresh = join(home.home, "new", ".env");
  await writeSecret(fresh, "KEY", "two words");
  assert.equal(await readFile(fresh, "utf8"), "KEY='two words'\n");
  assert.equal((await stat(fresh)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(join(home.home, "new")), [".env"]);
});
