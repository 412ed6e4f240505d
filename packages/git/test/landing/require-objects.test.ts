import { expect, test } from "vitest";
import { requireObjects } from "../../src/landing/require-objects.ts";
import { openRepository } from "../../src/repository.ts";
import { failureCode, git } from "../fixture.ts";
import { commit, lose, twoSides } from "./fixture.ts";

test.for(["", "^{tree}", ":d", ":d/new"])("finds that %s of a commit is missing", async (what) => {
  const { root, base } = twoSides({ "d/f": "f" }, {}, {});
  git(root, "checkout", "-q", "--detach", base);
  const made = commit(root, { "d/new": "new" });
  const repository = await openRepository(root);
  await requireObjects(repository, made);
  await requireObjects(repository, made, { beside: base });
  lose(root, `${made}${what}`);
  const codeOf = (beside?: string): Promise<string> =>
    failureCode(requireObjects(repository, made, { beside }));
  expect(await codeOf()).toBe("ERR_MISSING_OBJECT");
  expect(await codeOf(base)).toBe("ERR_MISSING_OBJECT");
});

test("looks at what is new beside a commit, and only there", async () => {
  const { root, base } = twoSides({ "d/f": "f" }, {}, {});
  git(root, "checkout", "-q", "--detach", base);
  const made = commit(root, { "d/new": "new" });
  lose(root, `${base}:d/f`);
  const repository = await openRepository(root);
  await requireObjects(repository, made, { beside: base });
  expect(await failureCode(requireObjects(repository, made))).toBe("ERR_MISSING_OBJECT");
});
