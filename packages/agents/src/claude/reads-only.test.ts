import { expect, test } from "vitest";
import { readsOnly } from "./reads-only.ts";

test.for([
  "git status",
  "git diff HEAD~1 -- src/a.ts",
  "git --no-pager log --oneline -3 | head -2",
  'git log --format="%h %s (%an)" 2>&1 | tail -1',
  "cd src && git show HEAD:a.ts 2>/dev/null",
  "grep -rn 'a|b; c' . | wc -l",
  "ls -la; pwd",
])("takes %j for reading", (line) => {
  expect(readsOnly(line)).toBe(true);
});

test.for([
  "",
  "touch evil",
  "git show HEAD > evil",
  "git show HEAD >evil 2>&1",
  "git diff HEAD; touch evil",
  "git diff HEAD & touch evil",
  "git diff HEAD\ntouch evil",
  "git diff --output=evil HEAD",
  "git diff --ext-diff",
  "git log '--output' evil",
  'git log "--out"put=evil',
  "git -c alias.x='!touch evil' x",
  "git grep -Otouch x",
  "git checkout .",
  "git branch -D main",
  "cat a | sh",
  "cat a | tee evil",
  "echo $(touch evil)",
  'echo "$(touch evil)"',
  "echo `touch evil`",
  "cat <(touch evil)",
  "find . -exec touch {} ;",
  "sed -i s/a/b/ a",
  "A=1 touch evil",
  "ls 'open",
  "(touch evil)",
  "{ touch evil; }",
  "g\\it commit",
])("does not take %j for reading", (line) => {
  expect(readsOnly(line)).toBe(false);
});
