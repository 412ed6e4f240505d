import type { FileSystem } from "../file-system.ts";

/** A sync as it is asked for, by what came before it. */
export interface Sync {
  readonly path: string;
  /** Syncs of the same path through this file system before this one. */
  readonly count: number;
  /** The call before that changed a name, such as `rename /a/b`; `""` when there was none. */
  readonly before: string;
}

/**
 * A file system on which some syncs happen only in appearance: what a proof of durability has to
 * notice.
 *
 * @param drop - Says of each sync whether it is left out.
 */
export function withoutSync(fs: FileSystem, drop: (sync: Sync) => boolean): FileSystem {
  const paths = new Map<number, string>();
  const counts = new Map<string, number>();
  let before = "";
  const noting =
    <Args extends readonly string[]>(name: string, call: (...args: Args) => void) =>
    (...args: Args): void => {
      before = `${name} ${args.at(-1)}`;
      call(...args);
    };
  return {
    ...fs,
    open: (path, flags, mode) => {
      const fd = fs.open(path, flags, mode);
      paths.set(fd, path);
      return fd;
    },
    link: noting("link", (from: string, to: string) => fs.link(from, to)),
    rename: noting("rename", (from: string, to: string) => fs.rename(from, to)),
    unlink: noting("unlink", (path: string) => fs.unlink(path)),
    fsync: (fd) => {
      const path = paths.get(fd) ?? "";
      const count = counts.get(path) ?? 0;
      counts.set(path, count + 1);
      if (!drop({ path, count, before })) fs.fsync(fd);
    },
  };
}
