import { expect, test } from "vitest";
import { diffLines } from "./diff.ts";

const STAT = " a.ts | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n";
const TEXT = `diff --git a/a.ts b/a.ts
index ${"1".repeat(40)}..${"2".repeat(40)} 100644
--- a/a.ts
+++ b/a.ts
@@ -1 +1 @@
-one
+two\u001b[2J
diff --git a/b.png b/b.png
index 3333..4444 100644
GIT binary patch
literal 3
KcmZQzU|;|M

diff --git a/c.ts b/c.ts
--- a/c.ts
+++ b/c.ts
@@ -1 +1 @@
-GIT binary patch
+three
`;

test("all of a diff is shown, but for the bytes of what is binary, and none of it acts", () => {
  const paint = (style: string, text: string): string => `${style}: ${text}`;
  expect(diffLines({ stat: STAT, text: TEXT }, paint)).toEqual([
    " a.ts | 2 +-",
    " 1 file changed, 1 insertion(+), 1 deletion(-)",
    "",
    "bold: diff --git a/a.ts b/a.ts",
    "bold: index 1111111111..2222222222 100644",
    "bold: --- a/a.ts",
    "bold: +++ b/a.ts",
    "cyan: @@ -1 +1 @@",
    "red: -one",
    "green: +two\\u{1b}[2J",
    "bold: diff --git a/b.png b/b.png",
    "bold: index 3333..4444 100644",
    "binary: its bytes are not shown",
    "bold: diff --git a/c.ts b/c.ts",
    "bold: --- a/c.ts",
    "bold: +++ b/c.ts",
    "cyan: @@ -1 +1 @@",
    "red: -GIT binary patch",
    "green: +three",
  ]);
});

test("that nothing differs is said", () => {
  expect(diffLines({ stat: "", text: "" }, (_style, text) => text)).toEqual([
    "nothing has changed",
  ]);
});
