/** What a file system of macOS leaves out of a name. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;
const DOT_GIT = /^(?:\.git|git~1)[ .]*(?::.*)?$/isu;

/** Whether some system takes a name for `.git`, which no tree of git's may hold. */
export function isDotGit(name: string): boolean {
  return name
    .replaceAll(IGNORED, "")
    .split("\\")
    .some((part) => DOT_GIT.test(part));
}
