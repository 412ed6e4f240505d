import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fleetPlace } from "./fleet-place.ts";
import { MAIN, place, quasar } from "./harness.ts";

const DIST = join(MAIN, "..");

/** The chunks that hold the SDK's code. */
const SDK = readdirSync(DIST).filter(
  (name) => name.endsWith(".js") && /"x-restate-/u.test(readFileSync(join(DIST, name), "utf8")),
);

test("the SDK is loaded by the commands that serve a fleet, and by no other", async () => {
  expect(SDK).toHaveLength(1);
  const at = fleetPlace();
  const hook = join(at.outside, "loads.mjs");
  const loaded = join(at.outside, "loaded");
  writeFileSync(
    hook,
    `import { appendFileSync } from "node:fs";
    import { registerHooks } from "node:module";
    registerHooks({ load(url, context, next) {
      appendFileSync(${JSON.stringify(loaded)}, url + "\\n");
      return next(url, context);
    } });`,
  );
  const env = { NODE_OPTIONS: `--import=${hook}` };
  const loads = async (...args: readonly string[]): Promise<string> => {
    writeFileSync(loaded, "");
    await quasar(at, args, { env });
    return readFileSync(loaded, "utf8");
  };
  const [sdk = ""] = SDK;
  const others = [["--version"], ["--help"], ["status"], ["nebula", "status"], ["config"]];
  for (const args of [...others, ["fleet", "doctor"], ["fleet", "status"]]) {
    const files = await loads(...args);
    expect(files, args.join(" ")).toContain("/dist/main.js");
    expect(files, args.join(" ")).not.toContain(sdk);
  }
  expect(await loads("fleet", "serve", "--port", "0", "--admin", "http://127.0.0.1:1")).toContain(
    sdk,
  );
});

test("who has no fleet reads nothing of one, but in the list of commands", async () => {
  const at = place();
  const help = await quasar(at, ["--help"]);
  const rows = help.stdout.match(/.*fleet.*/giu) ?? [];
  expect(rows).toContainEqual(expect.stringMatching(/^ {2}fleet +have several machines work/u));
  expect(rows.filter((row) => !/^ {2}[a-z]+ /u.test(row))).toEqual([]);
  const texts = await Promise.all(
    [
      ...["run", "nebula status", "resume", "config"].map((name) => [...name.split(" "), "--help"]),
      ...[["config"], ["config", "--json"], ["doctor"], ["status"], ["init", "--yes"], ["list"]],
    ].map(async (args) => {
      const { stdout, stderr } = await quasar(at, args);
      return stdout + stderr;
    }),
  );
  for (const text of texts) expect(text).not.toMatch(/fleet/iu);
});

test("what is set of a fleet is shown, and where", async () => {
  const at = place();
  const env = { QUASAR_FLEET: "http://127.0.0.1:8080" };
  const { stdout } = await quasar(at, ["config"], { env });
  expect(stdout).toMatch(/^ {2}fleet\.url +"http:\/\/127\.0\.0\.1:8080" +QUASAR_FLEET$/mu);
  expect(stdout).not.toContain("fleet.key_file");
  const wrong = await quasar(at, ["config"], { env: { QUASAR_FLEET: "ftp://x" } });
  expect(wrong.stderr).toContain("QUASAR_FLEET must be the address of a server");
});
