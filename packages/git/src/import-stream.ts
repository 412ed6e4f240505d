/** A ref that is named while the commit is made, and never written. */
const NOWHERE = "refs/quasar/nowhere";

/** A line for `git fast-import`; bytes, one a character (latin1). */
export function line(text: string): Buffer {
  return Buffer.from(`${text}\n`, "latin1");
}

export function data(bytes: Buffer): Buffer {
  return Buffer.concat([line(`data ${bytes.length}`), bytes, line("")]);
}

/** What the stream of one commit begins with. @param committer - `Name <address> <seconds> +0000`. */
export function commitBegin(committer: string, message: string): Buffer {
  return Buffer.concat([
    line("feature done"),
    // Else the commit would follow on one that somebody has put there.
    line(`reset ${NOWHERE}`),
    line(`commit ${NOWHERE}`),
    line("mark :1"),
    Buffer.from(`committer ${committer}\n`),
    data(Buffer.from(message)),
  ]);
}

/**
 * What the stream of one commit ends with: git prints its id, and no ref changes. Without it git takes nothing, so a
 * stream that breaks off leaves no half of a commit.
 *
 * @param nothing - The id of no object: as many zeros as the repository's ids have digits.
 */
export function commitEnd(nothing: string): Buffer {
  const lines = ["", "get-mark :1", `reset ${NOWHERE}`, `from ${nothing}`, "", "done"];
  return Buffer.concat(lines.map(line));
}
