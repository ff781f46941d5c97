import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { describe, test } from "node:test";
import { tempFolder } from "../../../../test/temp-folder.ts";
import { fakeClock } from "../../../../test/fakes/fake-clock.ts";
import { systemClock } from "../../../lib/clock.ts";
import { clipboardPicture } from "./clipboard.ts";
import { until } from "./typist.suite.ts";

const png = Buffer.from("\u0089PNG\r\n\u001A\n\u0000\u00FF rest", "latin1");
const jpeg = Buffer.from("\u00FF\u00D8\u00FF\u00E0 rest", "latin1");
const signal = new AbortController().signal;
const [x, wayland] = [{ DISPLAY: ":0" }, { WAYLAND_DISPLAY: "wayland-0" }];

/** Answers with the kinds that are there, or with the file of the kind that is asked for last. */
const owner = (kinds: string): string => `#!/bin/sh
case "$*" in
  *TARGETS*|*--list-types*) printf '%b' '${kinds}';;
  *image/png) cat "$(dirname "$0")/png";;
  *image/jpeg) cat "$(dirname "$0")/jpeg";;
  *) exit 1;;
esac
`;

describe("clipboard", () => {
  for (const [program, env] of [
    ["xclip", x],
    ["wl-paste", wayland],
  ] as const) {
    test(`${program} hands over a picture, byte for byte`, async () => {
      await using it = await programs({ [program]: owner("text/html\\nimage/png\\n"), png });
      assert.deepEqual(await it.picture(env), {
        name: "clipboard.png",
        mediaType: "image/png",
        base64: png.toString("base64"),
      });
    });

    test(`${program} is asked for the kind that is there`, async () => {
      await using it = await programs({ [program]: owner("image/jpeg\\n"), jpeg });
      assert.partialDeepStrictEqual(await it.picture(env), {
        name: "clipboard.jpeg",
        mediaType: "image/jpeg",
      });
    });

    test(`${program} with only text on the clipboard is no picture`, async () => {
      await using it = await programs({ [program]: owner("text/plain\\n") });
      assert.match(await it.none(env), /There is no picture on the clipboard\. .*@path/);
    });

    test(`without ${program} it says what to install`, async () => {
      await using it = await programs({});
      assert.match(await it.none(env), new RegExp(`${program}.* has to be installed\\. Write @path`));
    });
  }

  test("with both, Wayland comes first, and what is missing is passed over", async () => {
    await using it = await programs({ xclip: owner("image/png\\n"), png });
    assert.partialDeepStrictEqual(await it.picture({ ...x, ...wayland }), { mediaType: "image/png" });
    await using none = await programs({});
    assert.match(await none.none({ ...x, ...wayland }), /wl-paste .* or xclip has to be installed/);
  });

  test("on a Mac, pngpaste or what comes with the system is used", async () => {
    await using it = await programs({ pngpaste: `#!/bin/sh\ncat "$(dirname "$0")/png"\n`, png });
    assert.partialDeepStrictEqual(await it.picture({}, "darwin"), { base64: png.toString("base64") });
    const said = `«data PNGf${png.toString("hex").toUpperCase()}»`;
    await using bare = await programs({ osascript: `#!/bin/sh\necho '${said}'\n` });
    assert.partialDeepStrictEqual(await bare.picture({}, "darwin"), { base64: png.toString("base64") });
  });

  test("over ssh and without a display it says where the clipboard is", async () => {
    await using it = await programs({});
    assert.match(await it.none({ SSH_CONNECTION: "1 2 3 4" }), /Over ssh .* other machine.* Write @path/);
    assert.match(await it.none({}), /neither WAYLAND_DISPLAY nor DISPLAY is set\. Write @path/);
  });

  test("what calls itself a picture and is none is not sent", async () => {
    await using it = await programs({ xclip: owner("image/png\\n"), png: "hello" });
    assert.match(await it.none(x), /no picture/);
  });

  test("a picture that never ends is cut and refused", async () => {
    const endless = `#!/bin/sh\ncase "$*" in *TARGETS*) echo image/png;; *) cat "$(dirname "$0")/png"; cat /dev/zero;; esac\n`;
    await using it = await programs({ xclip: endless, png });
    assert.match(await it.none(x), /larger than 20 MiB/);
  });

  test("an owner of the clipboard that does not answer is given up", async () => {
    const clock = fakeClock();
    await using it = await programs({ xclip: `#!/bin/sh\n: > "$(dirname "$0")/asked"; exec sleep 600\n` });
    const found = clipboardPicture(it.env(x), clock, signal, "linux");
    let settled = false;
    void found.finally(() => (settled = true));
    await until(async () => {
      await clock.advance(1_000);
      return settled;
    });
    assert.deepEqual(await found, { none: "xclip did not answer. Write @path/to/picture.png instead." });
  });

  test("an aborted question is an answer in words", async () => {
    await using it = await programs({ xclip: owner("image/png\\n"), png });
    const gone = AbortSignal.abort(new Error("left"));
    assert.deepEqual(await clipboardPicture(it.env(x), systemClock, gone, "linux"), {
      none: "xclip did not answer. Write @path/to/picture.png instead.",
    });
  });
});

const needed = ["sh", "head", "base64", "cat", "dirname", "sleep"];

/** A PATH of its own, with these programs and the few that every system has. */
async function programs(files: Readonly<Record<string, string | Buffer>>) {
  const temp = await tempFolder();
  const { path } = temp;
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  for (const name of needed) {
    const found = folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
    await symlink(found ?? assert.fail(`there is no ${name}`), join(path, name));
  }
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(path, name), content);
    await chmod(join(path, name), 0o755);
  }
  const env = (more: Readonly<Record<string, string>>) => ({ PATH: path, ...more });
  const picture = (more: Readonly<Record<string, string>>, platform = "linux") =>
    clipboardPicture(env(more), systemClock, signal, platform);
  return {
    env,
    picture,
    none: async (more: Readonly<Record<string, string>>) => {
      const found = await picture(more);
      return "none" in found ? found.none : assert.fail("found one");
    },
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
}
