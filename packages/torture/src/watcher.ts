/**
 * Who is killed at a step: the runner alone, its process group, as when a terminal is closed, or everything of its run, as by
 * a reboot.
 */
export type KillKind = "runner" | "group" | "everything";

/** What the watcher in a process gets. */
export interface WatchPlan {
  /** The trial's folder: steps outside it are not watched. */
  readonly root: string;
  /** Where the names of the steps are written, one a line; the first process to make it is watched. */
  readonly log: string;
  /**
   * For a program that works in the background of the one that is watched: its name, which what its
   * steps are on begins with. Each process of it is watched, one after the other.
   */
  readonly background?: string | undefined;
  /** Timers that go off when a file is there, which they take away, and not when their time is over. */
  readonly clock?: Clock | undefined;
  /** Patterns of what differs from run to run: source and replacement, applied in order. */
  readonly chance: readonly (readonly [pattern: string, replacement: string])[];
  /** Kills before this step takes effect. */
  readonly kill: { readonly step: string; readonly kind: KillKind } | undefined;
  /** Also writes behind each step's name how many other processes of the trial there are, and how many of them do not work apart. */
  readonly counts: boolean;
  /** A variable in the environment of those that work apart. @default none does */
  readonly apart?: string | undefined;
  /** What `NODE_OPTIONS` was without the watcher. */
  readonly nodeOptions: string | undefined;
}

/** By the milliseconds that a timer of `node:timers/promises` is set to: the file that it waits for. */
export type Clock = Readonly<Record<number, string>>;

type Act = (this: unknown, ...args: unknown[]) => unknown;
type Acts = Record<string, Act>;

/**
 * Names the durable steps of the process that it is loaded into, and kills at one of them. Its text
 * is what is loaded (`node --import`), so it may use nothing from outside its own braces.
 *
 * The process is otherwise the same: the functions do what they did, its children see nothing of it.
 */
function watch(plan: WatchPlan): void {
  const fs = process.getBuiltinModule("node:fs");
  const path = process.getBuiltinModule("node:path");
  const { AsyncLocalStorage, AsyncResource } = process.getBuiltinModule("node:async_hooks");
  const childProcess = process.getBuiltinModule("node:child_process");
  const { constants } = fs;
  const { lstatSync, openSync, readdirSync, readFileSync, readlinkSync, unlinkSync, writeSync } =
    fs;

  if (plan.nodeOptions === undefined) delete process.env["NODE_OPTIONS"];
  else process.env["NODE_OPTIONS"] = plan.nodeOptions;
  let log: number;
  try {
    log = openSync(plan.log, plan.background === undefined ? "ax" : "a", 0o600);
  } catch {
    return; // another process of the run was first
  }
  const who = plan.background === undefined ? "" : `${plan.background}: `;

  const isThere = (file: string): boolean =>
    lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  const counts = new Map<string, number>();
  for (const line of readFileSync(plan.log, "utf8").split("\n")) {
    const [, key, occurrence] = /^(.+) #(\d+)(?:\t\d+\t\d+)?$/u.exec(line) ?? [];
    if (key !== undefined) counts.set(key, Number(occurrence));
  }
  const patterns = plan.chance.map(([source, by]) => [new RegExp(source, "gu"), by] as const);
  const step = (kind: string, on: string, undo?: () => void): void => {
    const named = patterns.reduce((text, [pattern, by]) => text.replace(pattern, by), on);
    const key = `${kind} ${who}${named}`;
    const occurrence = (counts.get(key) ?? 0) + 1;
    counts.set(key, occurrence);
    const name = `${key} #${occurrence}`;
    if (plan.kill?.step !== name) {
      writeSync(log, plan.counts ? `${name}\t${countOthers().join("\t")}\n` : `${name}\n`);
      return;
    }
    writeSync(log, `killed ${name}\n`);
    undo?.();
    if (plan.kill.kind === "everything") killOthers();
    process.kill(plan.kill.kind === "group" ? 0 : process.pid, "SIGKILL");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };

  const belongs = (pid: string): boolean => {
    try {
      if (readFileSync(`/proc/${pid}/environ`).includes(plan.root)) return true;
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(plan.root);
    } catch {
      return false; // it has gone, or is another user's
    }
  };
  const others = (): readonly string[] =>
    readdirSync("/proc").filter(
      (pid) => /^\d+$/u.test(pid) && Number(pid) !== process.pid && belongs(pid),
    );
  /** What a trial's processes start belongs to it from the first: who does not once never will. */
  const strangers = new Set<string>();
  const isApart = (pid: string): boolean => {
    if (plan.apart === undefined) return false;
    try {
      return `\0${readFileSync(`/proc/${pid}/environ`, "utf8")}`.includes(`\0${plan.apart}=`);
    } catch {
      return false; // it has gone
    }
  };
  const countOthers = (): readonly [all: number, aiding: number] => {
    const found = readdirSync("/proc").filter(
      (pid) => /^\d+$/u.test(pid) && Number(pid) !== process.pid && !strangers.has(pid),
    );
    for (const pid of found) if (!belongs(pid)) strangers.add(pid);
    const mine = found.filter((pid) => !strangers.has(pid));
    return [mine.length, mine.filter((pid) => !isApart(pid)).length];
  };
  /** Twice over, for what they start meanwhile. */
  const killOthers = (): void => {
    for (let quiet = 0; quiet < 2; quiet += 1) {
      const found = others();
      for (const pid of found) {
        try {
          process.kill(Number(pid), "SIGKILL");
        } catch {
          // it has gone
        }
      }
      if (found.length > 0) quiet = -1;
    }
  };

  const pathOf = (value: unknown): string | undefined => {
    const text =
      value instanceof URL
        ? process.getBuiltinModule("node:url").fileURLToPath(value)
        : Buffer.isBuffer(value)
          ? value.toString()
          : value;
    return typeof text === "string" ? path.resolve(text) : undefined;
  };
  const opened = new Map<number, string>();
  /** A path, a descriptor, or a handle. */
  const fileOf = (value: unknown): string | undefined => {
    if (typeof value === "number") return opened.get(value);
    const isHandle = typeof value === "object" && value !== null && "fd" in value;
    return isHandle ? opened.get(value.fd as number) : pathOf(value);
  };
  const on = (kind: string, file: string | undefined, undo?: () => void): void => {
    if (file === undefined || !file.startsWith(`${plan.root}${path.sep}`)) return;
    step(kind, path.relative(plan.root, file), undo);
  };
  /** Whether a call with these flags gets as far as to open the file. */
  const opening = (file: string | undefined, flags: unknown): boolean => {
    if (file === undefined) return false;
    const letters = typeof flags === "string" ? flags : "";
    const bits = typeof flags === "number" ? flags : 0;
    const has = (letter: string, bit: number): boolean =>
      letters.includes(letter) || (bits & bit) !== 0;
    if (!isThere(file)) {
      if (letters.includes("a") || has("w", constants.O_CREAT)) on("create", file);
      return true;
    }
    if (has("x", constants.O_EXCL)) return false;
    if (has("w", constants.O_TRUNC)) on("truncate", file);
    return true;
  };
  const writingWhole = (target: unknown, flag: string): void => {
    const file = fileOf(target);
    const isPath = pathOf(target) !== undefined;
    if (isPath && !opening(file, flag)) return;
    // Between the two steps the file is there, and empty where it was not appended to.
    on("write", file, () => {
      if (isPath && file !== undefined) openSync(file, flag);
    });
  };
  const flagOf = (options: unknown, fallback: string): string => {
    const { flag } = Object(options) as { readonly flag?: unknown };
    return typeof flag === "string" ? flag : fallback;
  };
  const changing = (kind: string, file: string | undefined, wanted: boolean): void => {
    if (file !== undefined && isThere(file) === wanted) on(kind, file);
  };

  /** Which steps a call is. */
  const BEFORE: Readonly<Record<string, (args: readonly unknown[]) => unknown>> = {
    open: ([file, flags]) => opening(pathOf(file), typeof flags === "function" ? "r" : flags),
    writeFile: ([file, , options]) => writingWhole(file, flagOf(options, "w")),
    appendFile: ([file, , options]) => writingWhole(file, flagOf(options, "a")),
    write: ([fd]) => on("write", fileOf(fd)),
    writev: ([fd]) => on("write", fileOf(fd)),
    fsync: ([fd]) => on("fsync", fileOf(fd)),
    fdatasync: ([fd]) => on("fsync", fileOf(fd)),
    truncate: ([file]) => on("truncate", fileOf(file)),
    ftruncate: ([fd]) => on("truncate", fileOf(fd)),
    rename: ([, to]) => on("rename", pathOf(to)),
    link: ([, to]) => on("link", pathOf(to)),
    symlink: ([, to]) => on("link", pathOf(to)),
    unlink: ([file]) => changing("unlink", pathOf(file), true),
    rm: ([file]) => changing("unlink", pathOf(file), true),
    rmdir: ([file]) => changing("unlink", pathOf(file), true),
    mkdir: ([file]) => changing("mkdir", pathOf(file), false),
    mkdtemp: ([prefix]) => on("mkdir", `${pathOf(prefix)}*`),
    copyFile: ([, to]) => on("create", pathOf(to)),
    cp: ([, to]) => on("create", pathOf(to)),
    close: ([fd]) => opened.delete(fd as number),
  };
  const HANDLE: Readonly<Record<string, string>> = {
    write: "write",
    writev: "writev",
    writeFile: "writeFile",
    appendFile: "appendFile",
    sync: "fsync",
    datasync: "fdatasync",
    truncate: "truncate",
  };

  /** What a call does by further calls is part of it. */
  const inside = new AsyncLocalStorage<true>();
  const replace = (
    object: Acts,
    name: string,
    before: (args: unknown[], self: unknown) => unknown,
    after: (result: unknown, args: readonly unknown[]) => unknown = (result) => result,
  ): void => {
    const original = object[name];
    if (original === undefined) return;
    const replaced: Act = function (...args) {
      if (inside.getStore() === true) return Reflect.apply(original, this, args);
      before(args, this);
      const bound = args.map((arg) =>
        typeof arg === "function" ? AsyncResource.bind(arg as () => void) : arg,
      );
      return after(
        inside.run(true, () => Reflect.apply(original, this, bound)),
        args,
      );
    };
    Object.defineProperties(replaced, Object.getOwnPropertyDescriptors(original));
    object[name] = replaced;
  };

  const remember = (file: unknown, fd: unknown): void => {
    const name = pathOf(file);
    if (typeof fd === "number" && name !== undefined) opened.set(fd, name);
  };
  const handles = new Set<unknown>();
  const rememberHandle = (file: unknown, handle: { readonly fd: number }): void => {
    remember(file, handle.fd);
    const prototype = Object.getPrototypeOf(handle) as Acts;
    if (handles.has(prototype)) return;
    handles.add(prototype);
    for (const [name, as] of Object.entries(HANDLE)) {
      replace(prototype, name, (args, self) => BEFORE[as]?.([self, ...args]));
    }
  };
  const api = fs as unknown as Acts;
  const promises = fs.promises as unknown as Acts;
  const { open: beforeOpen = () => {}, ...rest } = BEFORE;
  for (const [name, before] of Object.entries(rest)) {
    for (const [object, form] of [
      [api, `${name}Sync`],
      [api, name],
      [promises, name],
    ] as const) {
      replace(object, form, before);
    }
  }
  replace(api, "openSync", beforeOpen, (fd, [file]) => {
    remember(file, fd);
    return fd;
  });
  replace(api, "open", (args) => {
    beforeOpen(args);
    const [file] = args;
    const done = args.pop() as (error: unknown, fd?: number) => void;
    args.push((error: unknown, fd?: number) => {
      remember(file, fd);
      done(error, fd);
    });
  });
  replace(promises, "open", beforeOpen, async (opening, [file]) => {
    const handle = (await opening) as { readonly fd: number };
    rememberHandle(file, handle);
    return handle;
  });

  /** `git commit`, `node`, `sh`: what is started, without what it is told in detail. */
  const programOf = (file: string, args: readonly string[]): string => {
    const name = path.basename(file);
    if (name !== "git") return name;
    const at = args.findIndex(
      (arg, i) => !arg.startsWith("-") && !/^-[cC]$/u.test(args[i - 1] ?? ""),
    );
    return `git ${args[at] ?? ""}`;
  };
  const hasEnd = (program: string): boolean => /^(?:git commit|git push|gh)$/u.test(program);
  const { prototype } = childProcess.ChildProcess as unknown as { prototype: Acts };
  const spawn = prototype["spawn"] as Act;
  prototype["spawn"] = function (...args) {
    const [{ file, args: argv }] = args as [{ file: string; args?: readonly string[] }];
    const program = programOf(file, (argv ?? []).slice(1));
    step("spawn", program);
    if (hasEnd(program)) {
      (this as NodeJS.EventEmitter).once("exit", () => step("ended", program));
    }
    return Reflect.apply(spawn, this, args);
  };
  for (const name of ["spawnSync", "execFileSync", "execSync"]) {
    let program = "";
    replace(
      childProcess as unknown as Acts,
      name,
      ([file, argv]) => {
        program =
          name === "execSync"
            ? "sh"
            : programOf(String(file), Array.isArray(argv) ? (argv as string[]) : []);
        step("spawn", program);
      },
      (result) => {
        if (hasEnd(program)) step("ended", program);
        return result;
      },
    );
  }

  const timers = process.getBuiltinModule("node:timers/promises");
  const { setTimeout: wait } = timers;
  type Options = { readonly signal?: AbortSignal; readonly ref?: boolean };
  const struck = async (file: string, value: unknown, options?: Options): Promise<unknown> => {
    for (;;) {
      await wait(20, undefined, options);
      try {
        unlinkSync(file);
        return value;
      } catch {
        // it is not time yet
      }
    }
  };
  (timers as unknown as Acts)["setTimeout"] = (ms, value, options) => {
    const file = plan.clock?.[ms as number];
    if (file !== undefined) return struck(file, value, options as Options);
    return wait(ms as number, value, options as Options);
  };
  process.getBuiltinModule("node:module").syncBuiltinESMExports();
}

/** The module's text that watches a process by a plan. */
export function watcherSource(plan: WatchPlan): string {
  return `(${watch.toString()})(${JSON.stringify(plan)});\n`;
}
