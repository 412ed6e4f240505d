import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aPlace, MANIFEST, phase, type Work, write } from "./place.ts";

const LINES = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`).join("");
const edit = (line: number) => (tree: string) => {
  const file = join(tree, "shared.txt");
  const text = readFileSync(file, "utf8").replace(`line ${line}\n`, `line ${line}!\n`);
  writeFileSync(file, text);
};

test("nothing that a repository names runs where phases are merged, checked out and landed", async () => {
  const files = { "nebula.toml": MANIFEST, "a.md": phase("a"), "b.md": phase("b") };
  const place = aPlace({ "shared.txt": LINES, ".gitattributes": "* merge=evil\n" }, files);
  const canary = join(place.root, "canary");
  const script = join(place.root, "evil.sh");
  writeFileSync(script, `#!/bin/sh\necho "$0 $@" >> ${canary}\n`);
  chmodSync(script, 0o755);
  place.git("config", "merge.evil.driver", `${script} %A %O %B`);
  place.git("config", "merge.default", "evil");
  place.git("config", "core.fsmonitor", script);
  write(place.repo, { ".git/info/attributes": "* merge=evil\n" });
  for (const hook of ["post-checkout", "post-merge", "post-rewrite", "pre-merge-commit"]) {
    write(place.repo, { [`.git/hooks/${hook}`]: `#!/bin/sh\necho ${hook} >> ${canary}\n` });
    chmodSync(join(place.repo, ".git", "hooks", hook), 0o755);
  }
  const { reason } = await place.apply({ "Phase a": edit(3), "Phase b": edit(20) });
  expect(reason).toBe("done");
  const shared = place.git("show", "nebula/demo:shared.txt");
  expect(shared).toContain("line 3!\n");
  expect(shared).toContain("line 20!\n");
  expect(existsSync(canary) ? readFileSync(canary, "utf8") : "").toBe("");
});

test("ids and titles are free text: none of it becomes a path, a ref or a line of a commit of its own", async () => {
  const id = "../../x $(touch pwned) --force";
  const title = "--upload-pack=evil Quasar-Phase: other";
  const file = `+++\nid = "${id}"\ntitle = "${title}"\n+++\nDo it.\n`;
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": file });
  const work: Work = { [title]: (tree) => write(tree, { "a.txt": "a\n" }) };
  const { reason, state } = await place.apply(work);
  expect(reason).toBe("done");
  expect(existsSync(join(place.root, "x"))).toBe(false);
  expect(state.phases[0]?.ref).toMatch(/^p1-[0-9a-f]{8}$/u);
  const format = "--format=%(trailers:key=Quasar-Phase,valueonly)";
  expect(place.git("log", "-1", format, "nebula/demo")).toBe(id);
});
