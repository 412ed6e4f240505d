import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { NAMES } from "../../../release/names.ts";
import { lookAtCommand } from "./look-at-command.ts";

/** Both packages as npm installs them for all of a prefix. */
function installed(): { readonly prefix: string; readonly main: string; readonly forward: string } {
  const prefix = mkdtempSync(join(realpathSync(tmpdir()), "quasar-prefix-"));
  onTestFinished(() => rmSync(prefix, { recursive: true }));
  const main = program(prefix, NAMES.command, "dist/main.js");
  const forward = program(prefix, NAMES.forward, "quasar.js");
  mkdirSync(join(prefix, "bin"));
  symlinkSync(forward, join(prefix, "bin/quasar"));
  symlinkSync(main, join(prefix, "bin/quasar-loop"));
  return { prefix, main, forward };
}

function program(prefix: string, name: string, path: string): string {
  const folder = join(prefix, "lib/node_modules", name);
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name }));
  writeFileSync(file, "", { mode: 0o755 });
  return file;
}

const names = { name: "quasar", otherName: "quasar-loop" };

test.for(["main", "forward"] as const)(
  "the command on the PATH is this program, which was started by its %s file",
  (which) => {
    const place = installed();
    const searchPath = join(place.prefix, "bin");
    const facts = lookAtCommand({ ...names, main: place[which], searchPath });
    expect(facts).toMatchObject({ owner: "this", alias: "quasar-loop", main: place.main });
  },
);

test("a command of another prefix is another installation", () => {
  const searchPath = join(installed().prefix, "bin");
  const { forward, main } = installed();
  const facts = lookAtCommand({ ...names, main: forward, searchPath });
  expect(facts).toMatchObject({ owner: "another installation", alias: undefined, main });
});
