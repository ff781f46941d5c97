import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startedPrograms } from "./started-programs.ts";

const context = { cwd: "/work", home: "/home/me", guarded: [] };
const started = (command: string): ReturnType<typeof startedPrograms> => startedPrograms(command, context);

describe("what a command would run", () => {
  test("is its words and programs of the system, however they are put together", () => {
    const known: readonly (readonly [string, readonly string[], readonly string[]])[] = [
      ["touch /far/x", ["touch"], ["/far/x"]],
      ["rm -f a && echo gone; ls | wc -l", ["echo", "ls", "rm", "wc"], []],
      ["if [ -f a ]; then rm a; fi", ["[", "rm"], []],
      ["timeout 5 /usr/bin/touch x", ["/usr/bin/touch", "timeout"], ["/work/x"]],
      ["touch() { rm x; }; touch y", ["rm", "touch"], ["/work/y"]],
      ["rm -f a/b; mkdir /far/c", ["mkdir", "rm"], ["/far", "/work/a"]],
      ["cd b && rm -f c", ["cd", "rm"], ["/work/b"]],
      ["echo x > /far/y 2>/dev/null", ["echo"], ["/far/y"]],
    ];
    for (const [command, programs, paths] of known)
      assert.deepEqual(started(command), { programs, paths, login: false }, command);
  });

  test("is not one that changes the system because it works in a home that lies in such a folder", () => {
    const command = "touch /root/x";
    assert.deepEqual(started(command), { open: "it changes files of the system" });
    const ofRoot = startedPrograms(command, { ...context, home: "/root" });
    assert.deepEqual(ofRoot, { programs: ["touch"], paths: ["/root/x"], login: false });
    const ofService = startedPrograms("touch /etc/x", { ...context, home: "/var/lib/service" });
    assert.deepEqual(ofService, { open: "it changes files of the system" });
    for (const home of ["", "/", "/etc", "/usr", "/usr/bin", "/var/lib"])
      assert.deepEqual(
        startedPrograms("touch /etc/x /usr/bin/ls /var/lib/x", { ...context, home }),
        ofService,
        home,
      );
  });

  test("has the person's start-up files before it in a login shell", () => {
    assert.deepEqual(started("/bin/bash -lc 'rm -f a'"), {
      programs: ["/bin/bash", "rm"],
      paths: [],
      login: true,
    });
    assert.deepEqual(started("zsh -c 'rm -f a'"), { programs: ["rm", "zsh"], paths: [], login: true });
    assert.deepEqual(started("bash -c 'rm -f a'"), { programs: ["bash", "rm"], paths: [], login: false });
  });

  for (const [what, commands] of Object.entries({
    "a script": [
      "bash s.sh",
      "./s.sh",
      "sh -x s.sh",
      "bash < s.sh",
      "/work/bin/touch x",
      "cd b && ./touch x",
    ],
    "a script behind something else": ["timeout 5 bash s.sh", "nohup ./s.sh &", "find . -exec ./s.sh \\;"],
    "a sourced file": ["source env.sh && touch x", ". ./env.sh; ls", "bash -lc 'source ./x'"],
    "code of an interpreter": [
      "python f.py",
      "python3 -c 'import json'",
      "node x.js",
      "perl -e 1",
      "awk -f a b",
    ],
    "the files of a project": ["npm run x", "npm test", "make", "just", "cargo run", "go run .", "git push"],
    "another program for the same word": [
      "PATH=./bin:$PATH touch x",
      "export PATH=./bin; touch x",
      "printf -v PATH ./bin; touch x",
      "env PATH=./bin touch x",
      "env -S 'PATH=./bin touch x'",
      "alias touch=./evil; touch x",
      "hash -p ./evil touch; touch x",
      "LD_PRELOAD=./x.so touch x",
      "BASH_ENV=./x bash -c 'touch a'",
      "bash --rcfile ./x -ic 'touch a'",
      "function touch { ./evil; }; touch x",
    ],
    "what is known only when it runs": [
      "$(cat a) x",
      "rm -f $(cat list)",
      "cat list | xargs rm",
      'eval "$(cat a)"',
    ],
    "content from elsewhere": [
      "cp a /far/b",
      "cat a > /far/b",
      "{ cat a; } > /far/b",
      "cat a | tee /far/b",
      "curl -K conf",
    ],
    "somewhere that nobody can tell": ["rm -f a/../b", "rm -rf a/", "cd $X; rm y", "wc --files0-from=list"],
    "more later": ["echo x >> ~/.bashrc", "crontab jobs", "sudo touch x"],
  })) {
    test(`is open when it is ${what}`, () => {
      for (const command of commands) assert.ok("open" in started(command), command);
    });
  }

  test("says why it is open in words", () => {
    assert.deepEqual(started("npm run x"), { open: "nobody can say what “npm” runs" });
    assert.deepEqual(started("./s.sh"), { open: "it runs the file ./s.sh" });
    assert.deepEqual(started("bash s.sh"), { open: "bash may read what it runs from a file" });
  });
});
