import { findWorkingFolders, listProcesses } from "@quasar/process";

/** Processes that work in a folder or below, this one excepted. */
export function processesIn(dir: string): readonly number[] {
  const pids = (listProcesses() ?? []).map(({ pid }) => pid);
  const folders = [...(findWorkingFolders(pids) ?? [])];
  return folders.filter(([, path]) => `${path}/`.startsWith(`${dir}/`)).map(([pid]) => pid);
}
