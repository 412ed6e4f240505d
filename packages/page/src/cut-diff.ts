/** What fits of a diff. */
export interface CutDiff {
  readonly text: string;
  /** Paths of the files that do not. */
  readonly leftOut: readonly string[];
}

/**
 * The files of a diff, whole, as long as they fit; of binary files that they differ.
 *
 * @param limit - In UTF-16 code units.
 */
export function cutDiff(text: string, limit: number): CutDiff {
  const files = text.split(/^(?=diff --git )/mu).map(withoutBytes);
  let used = 0;
  const leftOut: string[] = [];
  const kept = files.filter((file) => {
    const isKept = used + file.length <= limit;
    if (isKept) used += file.length;
    else leftOut.push(pathOf(file));
    return isKept;
  });
  return { text: kept.join(""), leftOut };
}

/** What git prints of a file that is no text is for programs. */
function withoutBytes(file: string): string {
  return file.replace(/^GIT binary patch\n[^]*/mu, "Binary files differ\n");
}

/** The name behind `b/`, as git quotes it. */
function pathOf(file: string): string {
  const [head = ""] = file.split("\n", 1);
  return /^diff --git .* "?b\/(?<path>.*?)"?$/u.exec(head)?.groups?.["path"] ?? head;
}
