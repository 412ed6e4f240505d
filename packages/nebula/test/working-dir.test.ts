import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aPlace, MANIFEST, phase, type Work, write } from "./place.ts";

const files = {
  "nebula.toml": `${MANIFEST}[context]\nworking_dir = "services/auth"\n`,
  "a.md": phase("a"),
};

test("agents work in the folder that the nebula names, which is made where it is missing", async () => {
  for (const committed of [{}, { "services/auth/old.txt": "old\n" }]) {
    const place = aPlace(committed, files);
    const work: Work = { "Phase a": (folder) => write(folder, { "a.txt": "a\n" }) };
    expect((await place.apply(work)).reason).toBe("done");
    expect(place.git("show", "nebula/demo:services/auth/a.txt")).toBe("a");
  }
});

test("a link, or a file, in the place of that folder is not followed: the phase fails and says why", async () => {
  const linked = aPlace({}, files);
  symlinkSync("/tmp", join(linked.repo, "services"));
  linked.git("add", "-A");
  linked.git("commit", "-qm", "Link");
  const end = await linked.apply({});
  expect(end.reason).toBe("failed");
  expect(end.state.phases[0]?.reason).toContain("working_dir services/auth: services is a link");

  const blocked = aPlace({ "services/auth": "a file\n" }, files);
  const { state } = await blocked.apply({});
  expect(state.phases[0]?.reason).toContain("working_dir services/auth is no folder");
});
