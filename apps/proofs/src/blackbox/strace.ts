/** A system call that has returned, as strace saw it. */
export interface SystemCall {
  /** Of the thread that made it. */
  readonly pid: number;
  readonly name: string;
  /** As strace prints them, strings being hexadecimal escapes. */
  readonly args: readonly string[];
  /** -1 is failure. */
  readonly result: number;
  /** Whether it was strace that had it fail. */
  readonly isInjected: boolean;
}

/** Calls that change what a disk holds, that make it durable, or that start a process. */
const CALLS = [
  "open,openat,creat,write,writev,pwrite64,pwritev,pwritev2,ftruncate,truncate,fallocate",
  "rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,mkdir,mkdirat,rmdir",
  "fsync,fdatasync,syncfs,sync_file_range,copy_file_range,sendfile,clone,clone3,fork,vfork,execve",
].join();

/** Has strace write every such call of a process and its children to a file, to be parsed below. */
export function straceInto(file: string): readonly string[] {
  const whole = ["-xx", "-s", "16777216", "-y", "-qq"];
  return ["strace", "-f", "--seccomp-bpf", ...whole, "-o", file, "-e", `trace=${CALLS}`, "--"];
}

const LINE = /^(\d+) +(.*)$/u;
const CALL = /^(\w+)\((.*)\) += (-?\d+|\?)/su;
const UNFINISHED = " <unfinished ...>";
const RESUMED = /^<\.\.\. \w+ resumed>/u;

/** The calls in the order in which they returned; what a killed process was in is not among them. */
export function parseTrace(text: string): readonly SystemCall[] {
  const begun = new Map<string, string>();
  const calls: SystemCall[] = [];
  for (const line of text.split("\n")) {
    const [, pid = "", said = ""] = LINE.exec(line) ?? [];
    if (said.endsWith(UNFINISHED)) {
      begun.set(pid, said.slice(0, -UNFINISHED.length));
      continue;
    }
    const whole = RESUMED.test(said) ? `${begun.get(pid)}${said.replace(RESUMED, "")}` : said;
    const [, name, args = "", result = ""] = CALL.exec(whole) ?? [];
    if (name === undefined || result === "?") continue;
    const isInjected = said.endsWith("(INJECTED)");
    calls.push({
      pid: Number(pid),
      name,
      args: splitArgs(args),
      result: Number(result),
      isInjected,
    });
  }
  return calls;
}

/** Splits at the commas that are in no bracket. */
function splitArgs(text: string): readonly string[] {
  const args: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === "[" || char === "{" || char === "(") depth += 1;
    else if (char === "]" || char === "}" || char === ")") depth -= 1;
    else if (char === "," && depth === 0) {
      args.push(text.slice(start, at));
      start = at + 2;
    }
  }
  return [...args, text.slice(start)];
}

/** The bytes of a string argument: `"\x61\x62"`. */
export function bytesOf(arg: string): Uint8Array {
  const [, hex = ""] = /"((?:\\x[0-9a-f]{2})*)"/u.exec(arg) ?? [];
  return Buffer.from(hex.replaceAll("\\x", ""), "hex");
}

/** The path of a descriptor argument: `23</a/b>`, as escapes. */
export function pathOfDescriptor(arg: string): string {
  const [, hex = ""] = /<((?:\\x[0-9a-f]{2})*)>/u.exec(arg) ?? [];
  return Buffer.from(hex.replaceAll("\\x", ""), "hex").toString();
}
