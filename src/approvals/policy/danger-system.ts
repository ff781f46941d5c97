import type { InspectedInvocation, Rule } from "./danger.ts";
import { isHarmlessDevice, isTemporary } from "./danger-files.ts";
import { names } from "./names.ts";
import { isInside } from "./paths.ts";
import { hasOption, operands } from "../shell/shell-invocation.ts";

const privileged = names(
  "sudo doas su pkexec runuser sg chroot nsenter gosu su-exec setuidgid run0 sudoedit visudo",
);
const services = names(
  "systemctl service launchctl rc-service initctl reboot shutdown halt poweroff init telinit sysctl modprobe insmod rmmod " +
    "mount umount swapoff swapon iptables ip6tables nft ufw firewall-cmd useradd userdel usermod groupadd passwd chpasswd " +
    "adduser deluser hostnamectl timedatectl update-grub grub-install kexec dmsetup losetup sc net reg defaults csrutil spctl " +
    "loginctl systemd-run update-alternatives ldconfig",
);
const scheduling = names("crontab at batch atrm anacron schtasks systemd-run fcron");
const disks =
  /^(mkfs(\..+)?|mke2fs|mkswap|mkdosfs|wipefs|blkdiscard|fdisk|sfdisk|cfdisk|gdisk|sgdisk|parted|partprobe|hdparm|nvme|cryptsetup|zpool|zfs|lvremove|vgremove|pvremove|lvcreate|mdadm|badblocks|diskutil|format|diskpart|newfs.*|resize2fs|tune2fs|e2fsck|debugfs|xfs_admin)$/;
const connecting = names(
  "ssh scp sftp telnet ftp nc ncat netcat socat rlogin rsh mosh autossh tftp lftp ngrok cloudflared chisel",
);
const agents = names("codex talaria claude gemini aider opencode goose cursor-agent amp crush qwen droid");

/** Rules about the machine, its processes and its network. */
export const systemRules: readonly Rule[] = [
  { label: "privilege", holds: ({ name }) => privileged.has(name) },
  { label: "disk", holds: changesDisk },
  { label: "service", holds: ({ name }) => services.has(name) },
  { label: "schedule", holds: ({ name, args }) => scheduling.has(name) && args[0] !== "-l" },
  { label: "kill", holds: kills },
  { label: "container", holds: reachesOut },
  {
    label: "remote",
    holds: ({ name, args, touches, invocation }) =>
      connecting.has(name) ||
      (name === "rsync" && args.some((arg) => /^[^/]*:|^rsync:/.test(arg) && !arg.startsWith("-"))) ||
      touches.some(({ path }) => isSocket(path)) ||
      invocation.redirects.some(({ target }) => isSocket(target.text)),
  },
  { label: "upload", holds: uploads },
  { label: "hijack", holds: hijacks },
  {
    label: "agent",
    holds: ({ name, args }) => agents.has(name) && !args.every((arg) => /^--?(version|help|h|V)$/.test(arg)),
  },
  {
    label: "fork-bomb",
    holds: ({ invocation }) =>
      invocation.parallel && invocation.inside.includes(invocation.fields[0]?.text ?? ""),
  },
];

const isSocket = (path: string): boolean => /^\/dev\/(tcp|udp)\//.test(path);

function changesDisk({ name, args, touches }: InspectedInvocation): boolean {
  if (disks.test(name))
    return !(args.length === 1 && /^(-l|--list|list|--version|-V|--help)$/.test(args[0] ?? ""));
  return touches.some(({ path }) => isDevice(path));
}

/** A write to it goes past every file system. */
export const isDevice = (path: string): boolean =>
  (/^\/dev\/./.test(path) && !isHarmlessDevice(path)) ||
  /^\/proc\/(sysrq-trigger|kcore|sys\/kernel\/)/.test(path);

function kills({ name, args }: InspectedInvocation): boolean {
  if (/^(pkill|killall|killall5|skill|xkill|taskkill|stop-process|fuser)$/.test(name)) {
    return name !== "fuser" || hasOption(args, "k", "kill");
  }
  if (name !== "kill") return false;
  return !args.every((arg) => /^(%\S*|-l|-L|-0)$/.test(arg));
}

function reachesOut({ name, args, context }: InspectedInvocation): boolean {
  if (!/^(docker|podman|nerdctl|lxc|ctr|systemd-nspawn|kubectl)$/.test(name)) return false;
  return args.some((arg, index) => {
    const value = arg.includes("=") ? arg.slice(arg.indexOf("=") + 1) : (args[index + 1] ?? "");
    if (
      /^--?(privileged|pid=host|net=host|network=host|ipc=host|userns=host|cap-add.*|device.*|security-opt.*)/.test(
        arg,
      )
    )
      return true;
    if (/^(--pid|--net|--network|--ipc|--uts)$/.test(arg)) return value === "host";
    if (!/^(-v|--volume|--mount)/.test(arg)) return false;
    const mount = /^-v./.test(arg) ? arg.slice(2) : value;
    const source = /(?:source|src)=([^,]*)/.exec(mount)?.[1] ?? mount.split(":")[0] ?? "";
    if (mount.includes("docker.sock")) return true;
    return source.startsWith("/") && !isInside(source, context.cwd) && !isTemporary(source);
  });
}

function uploads({ name, args }: InspectedInvocation): boolean {
  if (name === "curl") {
    return (
      hasOption(
        args.filter((arg) => !arg.startsWith("--")),
        "dFT",
      ) ||
      args.some((arg) => /^--(data|form|upload|json)/.test(arg)) ||
      args.some(
        (arg, index) => /^(-X|--request)$/.test(arg) && !/^(GET|HEAD|OPTIONS)$/i.test(args[index + 1] ?? ""),
      ) ||
      args.some((arg) => /^(-X|--request=)(POST|PUT|DELETE|PATCH)/i.test(arg))
    );
  }
  if (name === "wget") return args.some((arg) => /^--(post|body|method)/.test(arg));
  if (name === "http" || name === "https" || name === "xh")
    return operands(args).some((arg) => /^(POST|PUT|DELETE|PATCH)$/i.test(arg));
  return (
    /^(mail|mailx|sendmail|mutt|aws|gsutil|rclone|croc|transfer)$/.test(name) &&
    !args.some((arg) => /^(ls|list|help|--version|configure|sts|describe.*|get-.*|list-.*)$/.test(arg))
  );
}

const loading =
  /^(LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|ENV|PROMPT_COMMAND|PS4|GIT_SSH|GIT_SSH_COMMAND|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|GIT_ASKPASS|SSH_ASKPASS|GIT_CONFIG_\w+|PERL5OPT|PERL5DB|RUBYOPT|PYTHONSTARTUP|PYTHONINSPECT|BASH_FUNC_\S*|LESSOPEN|GIT_PAGER|GIT_EDITOR|GIT_SEQUENCE_EDITOR|TALARIA_\w+|CODEX_\w+)$/;

/** A copy under another name is no longer known by its name. */
const systemProgram = /^(\/usr)?(\/local)?\/s?bin\/[^/]+$/;

function hijacks({ name, args, invocation }: InspectedInvocation): boolean {
  const given = name === "export" || name === "env" || name === "declare" || name === "sudo" ? args : [];
  const pairs: readonly (readonly [string, string])[] = [
    ...invocation.assigns,
    ...given
      .filter((arg) => arg.includes("="))
      .map((arg) => [arg.slice(0, arg.indexOf("=")), arg.slice(arg.indexOf("=") + 1)] as const),
  ];
  if (/^(cp|install|ln)$/.test(name) && args.slice(0, -1).some((arg) => systemProgram.test(arg))) return true;
  if (name === "enable" && hasOption(args, "f")) return true;
  if (name === "hash" && hasOption(args, "p")) return true;
  if (name === "alias" && args.length > 0) return args.some((arg) => arg.includes("="));
  if (name === "make" && args.some((arg) => arg.startsWith("SHELL="))) return true;
  return pairs.some(
    ([key, value]) =>
      (loading.test(key) && value !== "" && !(key.startsWith("GIT_") && /^(true|cat|:)$/.test(value))) ||
      (key === "NODE_OPTIONS" &&
        /(^|\s)(-r|--require|--import|--loader|--experimental-loader|--eval)/.test(value)) ||
      (key === "PAGER" && /[\s/;|&]/.test(value)),
  );
}
