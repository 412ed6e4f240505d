/** Shorter than this a person has not gone away. */
const LONG_MS = 30_000;

/** Rings the terminal's bell, where what has ended took long; not where the output is no terminal. */
export function createBell(
  stream: Pick<NodeJS.WriteStream, "isTTY" | "write">,
  now: () => number = Date.now,
): () => void {
  const began = now();
  return () => {
    if (stream.isTTY && now() - began >= LONG_MS) stream.write("\u0007");
  };
}
