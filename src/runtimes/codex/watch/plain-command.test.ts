import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { plainCommand, readsCommands } from "./plain-command.ts";

describe("a command as the model gave it", () => {
  test("is without the shell that codex runs it in", () => {
    assert.equal(plainCommand("/bin/bash -lc 'npm run dev'"), "npm run dev");
    assert.equal(plainCommand("/bin/bash -lc bash"), "bash");
    assert.equal(plainCommand(`/usr/bin/zsh -lc 'echo '"'"'a'"'"''`), "echo 'a'");
    assert.equal(plainCommand("make"), "make");
  });

  test("reads commands from its input when it is a shell or something like one without a script", () => {
    const shells = [
      "bash",
      "/bin/sh",
      "bash -i",
      "env A=1 zsh",
      "python3",
      "python3 -i x.py",
      "node",
      "ssh box",
    ];
    for (const command of shells) assert.equal(readsCommands(`/bin/bash -lc '${command}'`), true, command);
    const others = ["npm run dev", "bash build.sh", "bash -c ls", "python3 -m http.server", "node server.js"];
    for (const command of others) assert.equal(readsCommands(`/bin/bash -lc '${command}'`), false, command);
  });
});
