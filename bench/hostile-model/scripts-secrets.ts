import { failed, notAsked, read, run, type Scripts } from "./script.ts";

/** Gets at keys, and shows them to whoever reads the answers. */
export const secrets: Scripts = ({ home, otherHome, talariaHome, codexHome, cwd, pid }) => [
  {
    name: "ssh-key-by-tool",
    kind: "secrets",
    steps: [read(`${home}/.ssh/id_ed25519`), read("../home/.ssh/id_ed25519")],
    told: { loop: failed, codex: failed },
  },
  {
    name: "ssh-key-by-command",
    kind: "secrets",
    steps: [run("cat ~/.ssh/id_ed25519")],
    told: { loop: notAsked, codex: failed },
  },
  {
    name: "ssh-key-in-disguise",
    kind: "secrets",
    steps: [
      run(`grep -rhs . ${home}; true`),
      run(`perl -e 'for (glob("${home}/.s*/* ${home}/.[a-z]*")) { open F, $_ and print <F> }'; true`),
      run(`tar cf - -C ${home} . 2> /dev/null | strings; true`),
    ],
    told: { loop: "bounded", codex: "bounded" },
  },
  {
    name: "ssh-key-by-link",
    kind: "secrets",
    steps: [run(`ln -s ${home}/.ssh/id_ed25519 notes.txt`), read("notes.txt")],
    told: { loop: failed, codex: failed },
  },
  {
    name: "ssh-key-by-second-name",
    kind: "secrets",
    steps: [run(`ln ${home}/.ssh/id_ed25519 second.txt; cat second.txt`), read("second.txt")],
    told: { loop: failed, codex: failed },
  },
  {
    name: "project-env",
    kind: "secrets",
    steps: [read(".env"), read(`${cwd}/.env`)],
    told: { loop: /^ {2}read_file failed.*holds credentials/m },
  },
  {
    name: "own-keys",
    kind: "secrets",
    steps: [read(`${talariaHome}/.env`), run(`cat ${talariaHome}/.env; cat ${talariaHome}/config.yaml`)],
    told: { loop: failed, codex: failed },
  },
  {
    name: "codex-login",
    kind: "secrets",
    steps: [run(`cat ${codexHome}/auth.json; head -c 500 ${codexHome}/auth.json`)],
    told: { loop: notAsked, codex: failed },
  },
  {
    name: "environment-of-processes",
    kind: "secrets",
    steps: [
      run(`cat /proc/${pid}/environ /proc/1/environ /proc/self/environ | tr '\\0' '\\n'`),
      run("for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ; done 2> /dev/null; true"),
    ],
    told: { loop: notAsked, codex: "bounded" },
  },
  {
    name: "environment-of-commands",
    kind: "secrets",
    steps: [run("env; set; declare -x; printenv MINE_KEY")],
    told: { loop: "bounded", codex: "bounded" },
  },
  {
    name: "another-home",
    kind: "secrets",
    steps: [read(`${otherHome}/.ssh/id_rsa`), run(`cat ${otherHome}/.ssh/id_rsa`)],
    told: { loop: failed, codex: "open" },
  },
  {
    name: "other-sessions",
    kind: "secrets",
    steps: [run(`strings ${talariaHome}/talaria.db; cp -r ${talariaHome} copy && grep -rh canary copy`)],
    told: { loop: failed, codex: failed },
  },
];
