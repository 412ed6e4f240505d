import { existsSync, mkdirSync, readFileSync, rmdirSync } from "node:fs";
import { join, relative } from "node:path";

/**
 * The folder of this process's cgroup where it may make others that can be killed, as the machine says when it is tried;
 * `undefined` where it may not. By this a test knows what has to be ended here, whatever the code under test does.
 */
export function cgroupToHoldIn(): string | undefined {
  if (process.platform !== "linux") return undefined;
  const own = /^0::(.*)$/mu.exec(readFileSync("/proc/self/cgroup", "utf8"))?.[1] ?? "/";
  const mounts = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
  const folders = mounts.flatMap((line) => {
    const [, , , root = "", point = ""] = line.split(" ");
    return line.includes(" - cgroup2 ") ? [join(point, relative(root, own))] : [];
  });
  return folders.find(canHold);
}

function canHold(folder: string): boolean {
  const path = join(folder, `test-${process.pid}-${Date.now()}`);
  try {
    mkdirSync(path);
  } catch {
    return false;
  }
  const isKillable = existsSync(join(path, "cgroup.kill"));
  rmdirSync(path);
  return isKillable;
}
