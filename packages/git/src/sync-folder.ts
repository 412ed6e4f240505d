import { closeSync, fsyncSync, openSync, readdirSync } from "node:fs";
import { pathBytes } from "./tree-stream.ts";

/** Flushes the names in a folder, or what a file holds. @throws the system's error */
export function syncPath(path: string | Buffer): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Flushes the files and folders in a folder, the outer ones last. @throws the system's error */
export function syncFolder(dir: string, below = ""): void {
  const folder = pathBytes(dir, below);
  for (const entry of readdirSync(folder, { withFileTypes: true, encoding: "buffer" })) {
    const path = `${below}/${entry.name.toString("latin1")}`;
    if (entry.isDirectory()) syncFolder(dir, path);
    else if (entry.isFile()) syncPath(pathBytes(dir, path));
  }
  syncPath(folder);
}
