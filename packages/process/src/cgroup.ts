import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { basename, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Container } from "./platform.ts";

const POLL_MS = 10;
const AFTER_KILL_MS = 2000;
let made = 0;

/**
 * A cgroup below the one that this process is in; `undefined` where there is none that it may add to.
 *
 * @param label - By which it is found again; `""`: by nothing.
 * @see cgroups(7): `cgroup.kill` is there from Linux 5.14 on.
 */
export function makeCgroup(label: string): Container | undefined {
  const parent = readHierarchy()?.own;
  if (parent === undefined) return undefined;
  const path = join(parent, `quasar-${written(label)}-${process.pid}-${(made += 1)}`);
  if (unlessRefused(() => mkdirSync(path, { mode: 0o700 })) === REFUSED) return undefined;
  if (!existsSync(join(path, "cgroup.kill"))) {
    unlessRefused(() => rmdirSync(path));
    return undefined;
  }
  return {
    add: (pid) => writeFileSync(join(path, "cgroup.procs"), String(pid)),
    end: () => endCgroup(path),
  };
}

/** Ends what is in the cgroups with these labels, wherever their makers were: each terminal has one of its own. */
export async function endCgroups(labels: readonly string[]): Promise<void> {
  const hierarchy = readHierarchy();
  if (hierarchy === undefined) return;
  const { mount, own } = hierarchy;
  const ours = cgroupsBelow(mount).filter((path) => {
    const label = labelIn(basename(path));
    const isWanted = labels.some((each) => each !== "" && isOf(label, each));
    return isWanted && !`${own}/`.startsWith(`${path}/`);
  });
  for (const path of ours) await endCgroup(path);
}

function cgroupsBelow(path: string): readonly string[] {
  const entries = unlessRefused(() => readdirSync(path, { withFileTypes: true }));
  if (entries === REFUSED) return [];
  const folders = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(path, name));
  return folders.flatMap((folder) => [folder, ...cgroupsBelow(folder)]);
}

/** What is no plain part of a path is reported by its bytes. */
function written(label: string): string {
  return /^[\w.-]{0,180}$/u.test(label) ? label : Buffer.from(label).toString("hex").slice(0, 180);
}

/** As it is written; `undefined` where it is none of ours. */
function labelIn(name: string): string | undefined {
  return /^quasar-(.*)-\d+-\d+$/u.exec(name)?.[1];
}

function isOf(label: string | undefined, wanted: string): boolean {
  return label === written(wanted) || label?.startsWith(written(`${wanted}.`)) === true;
}

async function endCgroup(path: string): Promise<void> {
  const giveUpAt = performance.now() + AFTER_KILL_MS;
  unlessRefused(() => writeFileSync(join(path, "cgroup.kill"), "1"));
  while (isPopulated(path) && performance.now() < giveUpAt) await sleep(POLL_MS);
  removeCgroup(path);
}

function isPopulated(path: string): boolean {
  return read(join(path, "cgroup.events")).includes("populated 1");
}

/** With what those in it have made below it. One that even SIGKILL has not emptied stays. */
function removeCgroup(path: string): void {
  const entries = unlessRefused(() => readdirSync(path, { withFileTypes: true }));
  if (entries === REFUSED) return;
  for (const entry of entries) if (entry.isDirectory()) removeCgroup(join(path, entry.name));
  unlessRefused(() => rmdirSync(path));
}

interface Hierarchy {
  /** Where the cgroups of version 2 are to be seen. */
  readonly mount: string;
  /** The folder of this process's cgroup. */
  readonly own: string;
}

function readHierarchy(): Hierarchy | undefined {
  const own = /^0::(\/.*)$/mu.exec(read("/proc/self/cgroup"))?.[1];
  if (own === undefined) return undefined;
  for (const line of read("/proc/self/mountinfo").split("\n")) {
    const [, , , root = "", mount = "", ...rest] = line.split(" ");
    if (rest[rest.indexOf("-") + 1] !== "cgroup2") continue;
    const below = relative(root, own);
    if (!below.startsWith("..")) return { mount, own: join(mount, below) };
  }
  return undefined;
}

function read(path: string): string {
  const text = unlessRefused(() => readFileSync(path, "utf8"));
  return text === REFUSED ? "" : text;
}

const REFUSED = Symbol("refused");

/** Where the system refuses anything here, no descriptor is left say, a program runs without a cgroup. */
function unlessRefused<Value>(act: () => Value): Value | typeof REFUSED {
  try {
    return act();
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return REFUSED;
    throw error;
  }
}
