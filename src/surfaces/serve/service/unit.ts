/** A service as the system's own manager of services wants it described. */
export type ServiceFile = {
  readonly name: string;
  readonly path: string;
  readonly text: string;
  /** What every version of ours has in its text. */
  readonly mark: string;
};

export type ServiceOf = {
  readonly program: string;
  readonly homeDir: string;
  /** Where the person's settings of programs are, if not in ~/.config. */
  readonly configHome?: string;
  readonly profile?: string;
  /** Only where it is set: a service finds the usual one by itself. */
  readonly home?: string;
};

const nameOf = ({ profile }: ServiceOf): string => (profile === undefined ? "talaria" : `talaria-${profile}`);
const wordsOf = ({ program, profile }: ServiceOf): readonly string[] => [
  program,
  ...(profile === undefined ? [] : ["-p", profile]),
  "serve",
];

/** Of the person's own systemd. */
export function systemdUnit(service: ServiceOf): ServiceFile {
  const name = nameOf(service);
  const { homeDir, configHome = `${homeDir}/.config` } = service;
  // Unlike a command, a variable has its dollars as they are.
  const home = service.home === undefined ? "" : `Environment=${quoted(`TALARIA_HOME=${service.home}`)}\n`;
  return {
    name: `${name}.service`,
    path: `${configHome}/systemd/user/${name}.service`,
    mark: unitMark,
    text: `[Unit]
${unitMark}${service.profile === undefined ? "" : ` (profile ${service.profile})`}

[Service]
Type=exec
ExecStart=${wordsOf(service).map(commandWord).join(" ")}
${home}Restart=on-failure
RestartSec=5
# Bad settings, and another one that serves this home: starting it again would not help.
RestartPreventExitStatus=2 3
TimeoutStopSec=30
UMask=0077

[Install]
WantedBy=default.target
`,
  };
}

const unitMark = "Description=Talaria, a personal agent";

/** A dollar begins a variable there. */
const commandWord = (word: string): string => quoted(word.replaceAll("$", "$$$$"));

/** A percent sign begins something of systemd's own. */
const quoted = (word: string): string => {
  const plain = word.replaceAll("%", "%%");
  return /^[\w./:=@%$+-]+$/.test(plain) ? plain : `"${plain.replaceAll(/["\\]/g, "\\$&")}"`;
};

/** A launch agent of a Mac. */
export function launchAgent(service: ServiceOf): ServiceFile {
  const name = `dev.${nameOf(service)}`;
  const words = wordsOf(service).map((word) => `    <string>${escaped(word)}</string>`);
  const log = escaped(`${service.home ?? `${service.homeDir}/.talaria`}/logs/serve.log`);
  const home =
    service.home === undefined
      ? ""
      : `  <key>EnvironmentVariables</key>
  <dict><key>TALARIA_HOME</key><string>${escaped(service.home)}</string></dict>
`;
  return {
    name,
    path: `${service.homeDir}/Library/LaunchAgents/${name}.plist`,
    mark: `<key>Label</key><string>${name}</string>`,
    text: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${name}</string>
  <key>ProgramArguments</key>
  <array>
${words.join("\n")}
  </array>
${home}  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ThrottleInterval</key><integer>10</integer>
  <key>Umask</key><integer>63</integer>
  <key>StandardErrorPath</key><string>${log}</string>
</dict>
</plist>
`,
  };
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
