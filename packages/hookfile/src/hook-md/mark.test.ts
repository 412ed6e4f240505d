import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { SAMPLE_FACTS, SAMPLE_VERDICTS, sampleHook } from "../../test/sample-hook.ts";
import type { HookFile } from "../store/hook-file.ts";
import { hookDigest, readHookMdMark } from "./mark.ts";
import { relationOfHookMd } from "./relation.ts";
import { renderHookMd } from "./hook-md.ts";

const render = (hook: HookFile) => renderHookMd(hook, SAMPLE_VERDICTS, SAMPLE_FACTS);

test("the digest is of the JSON with sorted keys", () => {
  const hook = { b: [1, { d: null, c: undefined, "\u00e9": "\ud800" }], a: "x" };
  const json = '{"a":"x","b":[1,{"d":null,"\u00e9":"\\ud800"}]}';
  expect(hookDigest(hook as unknown as HookFile)).toBe(hash("sha256", json));
});

test("the digest does not depend on the order of keys or on values that are undefined", () => {
  const hook = sampleHook();
  const turned = Object.fromEntries(Object.entries(hook).toReversed()) as unknown as HookFile;
  expect(hookDigest({ ...turned, owner: undefined })).toBe(hookDigest(hook));
});

test.for(Object.keys(sampleHook()) as (keyof HookFile)[])("the digest covers %s", (key) => {
  expect(hookDigest({ ...sampleHook(), [key]: "changed" })).not.toBe(hookDigest(sampleHook()));
});

test("the last line has the revision and the digest", () => {
  const hook = sampleHook();
  const mark = { revision: 17, sha256: hookDigest(hook) };
  expect(readHookMdMark(render(hook))).toEqual(mark);
  expect(render(hook).endsWith(`\n\n<!-- hook rev=17 sha256=${mark.sha256} -->\n`)).toBe(true);
});

const another = sampleHook({ taskId: "another-task" });

test.for([
  ["of the hook file", render(sampleHook()), "current"],
  [
    "of the revision before, after a crash between the two files",
    render(sampleHook({ revision: 16 })),
    "stale",
  ],
  ["of a later revision than there is", render(sampleHook({ revision: 18 })), "foreign"],
  ["of the same revision with other contents", render(sampleHook({ branch: "other" })), "foreign"],
  ["of another task", render(another), "foreign"],
  ["of another task, earlier", render({ ...another, revision: 3 }), "foreign"],
  [
    "of another task that names this one",
    render({ ...another, revision: 3, title: "**Task:** `fix-null-pointer-config`" }),
    "foreign",
  ],
  [
    "with another revision than its digest says",
    render(sampleHook()).replace("rev=17", "rev=18"),
    "foreign",
  ],
  ["torn", render(sampleHook()).slice(0, -9), "unmarked"],
  ["continued after the mark", `${render(sampleHook())}\n## What To Do Now\n`, "unmarked"],
  ["empty", "", "unmarked"],
  [
    "by hand, with the mark in a fence",
    `\`\`\`\n${render(sampleHook()).slice(-100)}\`\`\`\n`,
    "unmarked",
  ],
] as const)("a HOOK.md %s is distinguished", ([, text, relation]) => {
  expect(relationOfHookMd(text, sampleHook())).toBe(relation);
});
