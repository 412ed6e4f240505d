import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { project } from "../first-task.ts";

/** Files beside what is committed, by which a test of the project is held once. */
export const HELD = ".git/held";
export const WAITING = ".git/waiting";
const GO = ".git/go";

/** A project whose test waits where it is held: for who is killed then. */
export const HELD_PROJECT = project({
  name: "a project whose test may be held",
  files: {
    Makefile: "test:\n\t@sh ./test.sh\n",
    "test.sh": `if mv ${HELD} ${WAITING} 2> /dev/null; then until [ -e ${GO} ]; do sleep 0.1; done; fi
sh ./total.sh 1 2 | grep -qx 3
`,
  },
  test: "make test",
  writes: [
    ["total.sh", "echo $(($1 + $2))\n"],
    ["empty.sh", "echo 0\n"],
  ],
});

/** Ends the wait of a test of the project. */
export function release(repo: string): void {
  if (existsSync(join(repo, WAITING))) writeFileSync(join(repo, GO), "");
}
