/**
 * Who passes on a long output leaves chunks and long lines behind: V8 lets many of them lie, and takes more and more
 * room for new ones. So they are collected now and then, and the room stays as it is.
 *
 * @param everyBytes - How many may pass between two collections.
 * @param collect - @default V8's own, a few milliseconds to some tens of them
 * @returns Is told how many bytes have passed.
 */
export function createCollector(everyBytes: number, collect?: () => void): (bytes: number) => void {
  let run = collect;
  let passed = 0;
  return (bytes) => {
    passed += bytes;
    if (passed < everyBytes) return;
    passed = 0;
    run ??= collectorOfV8();
    run();
  };
}

/** Loaded here: they take 3 MB, and most outputs are short. */
function collectorOfV8(): () => void {
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--expose-gc");
  return process.getBuiltinModule("node:vm").runInNewContext("gc") as () => void;
}
