import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { parseSkill } from "./skill-format.ts";

const parsed = (matter: string, folder = "deploy") => parseSkill(`---\n${matter}\n---\n\nDo it.\n`, folder);

describe("a SKILL.md", () => {
  test("says what it is, wherever its author keeps tags, category and what it needs", () => {
    assert.deepEqual(
      parsed(
        [
          "name: deploy",
          "description: >-",
          "  Puts the site",
          "  online",
          "version: 1.2",
          "license: MIT",
          "platforms: [linux, macOS]",
          "required_environment_variables: [{ name: SITE_KEY, prompt: The key }, SITE_USER, 7, a b]",
          "metadata:",
          "  author: somebody",
          "  hermes: { tags: [site, ops], category: web, requires_tools: [terminal], requires_toolsets: web }",
        ].join("\n"),
      ),
      {
        head: {
          name: "deploy",
          description: "Puts the site online",
          version: "1.2",
          category: "web",
          tags: ["site", "ops"],
          platforms: ["linux", "macos"],
          requires: ["terminal", "web"],
          environment: ["SITE_KEY", "SITE_USER"],
        },
      },
    );
    const windows = parseSkill("\uFEFF---\r\ndescription: x\r\n---\r\nBody", "deploy");
    assert.partialDeepStrictEqual(windows, { head: { name: "deploy", description: "x" } });
  });

  test("may have a colon in its description without quotes, as many have", () => {
    const found = parsed('name: deploy\ndescription: Ships it. Use when: "ship" is said\nlicense: MIT');
    assert.partialDeepStrictEqual(found, { head: { description: 'Ships it. Use when: "ship" is said' } });
  });

  test("that is none says why", () => {
    for (const [matter, why] of [
      ["name: deploy", /no description/],
      ["name: other\ndescription: x", /its name is other, but its folder is called deploy/],
      ["name: My Skill\ndescription: x", /lowercase letters/],
      ["description: [a]", /no description/],
      [`description: ${"x".repeat(1025)}`, /1025 characters/],
      ["- a\n- b", /not a map/],
      ["a: [", /not YAML/],
      ["a: &a [x]\nb: [*a, *a]\nc: {<<: *d}", /not YAML/],
    ] as const) {
      const found = parsed(matter);
      assert.match("bad" in found ? found.bad : "", why, matter);
    }
    for (const text of ["", "# Deploy", "---\nname: x", "--- \nname: x\n----\n"])
      assert.match(JSON.stringify(parseSkill(text, "x")), /does not begin with front matter/);
  });

  test("never breaks what reads it", () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: "grapheme" }), (matter, folder) => {
        const found = parseSkill(`---\n${matter}\n---\n`, folder);
        assert.ok("bad" in found || found.head.name === folder);
      }),
    );
  });
});
