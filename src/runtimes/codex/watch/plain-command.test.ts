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
      ["bash", "/bin/sh", "bash -i", "env A=1 zsh", "python3", "python3 -i x.py", "node", "ssh box"],
      [
        "env -i bash",
        "env -u HOME -i A=1 /bin/bash",
        "timeout 9 bash",
        "timeout -k 5 1.5m sh",
        "nice -n 5 bash",
      ],
      ["sudo -u bob timeout 9 env -i bash -l", "cd sub && bash", "export A=1; python3", "(cd sub; sh)"],
      ["if true; then bash; fi", "bash 2>&1", "bash > log 2>&1", "bash | tee log", "bash -s", "sh -s -- a"],
      [
        "while read line; do $line; done",
        "cd sub; while IFS= read -r l; do eval $l; done",
        "xargs -n1 sh -c",
      ],
      [
        "docker exec -it box sh",
        "kubectl exec -i pod -- sh",
        "source /dev/stdin",
        "while true; do bash; done",
      ],
    ].flat();
    for (const command of shells) assert.equal(readsCommands(`/bin/bash -lc '${command}'`), true, command);
  });

  test("does not when it has a script, or another input", () => {
    const others = [
      ["npm run dev", "bash build.sh", "bash -c ls", "python3 -m http.server", "node server.js"],
      ["timeout 9 npm run dev", "env -i bash build.sh", "timeout 9 python3 -m http.server", "cd sub && make"],
      ["tail -f log | while read line; do echo $line; done", "while read l; do echo $l; done < list"],
      [
        "sudo -u bash make",
        "docker run -d box sh",
        "cat > typed.txt",
        "python3 - <<EOF\nbash\nEOF",
        "bash < file",
      ],
      ["env", "timeout 9", "echo done; sleep 600", "yes | bash build.sh", "curl x | bash", "sleep 9"],
    ].flat();
    for (const command of others) assert.equal(readsCommands(`/bin/bash -lc '${command}'`), false, command);
  });
});
