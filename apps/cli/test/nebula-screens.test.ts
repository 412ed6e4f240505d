import { expect, test } from "vitest";
import { apply, phaseText, withDemo, workOf } from "./a-nebula.ts";
import { lastRecord, quasar } from "./harness.ts";

const MANIFEST = '[nebula]\nname = "demo"\n';
const ONE = { "nebula.toml": MANIFEST, "1.md": phaseText("one") };

test("without a name the newest nebula is meant where none is unfinished, and looks exit with 0", async () => {
  const at = withDemo(ONE);
  const none = await quasar(at, ["nebula", "status", "--json"]);
  expect(lastRecord(none)).toMatchObject({ code: "ERR_NOT_FOUND", exit: 2 });
  expect((await apply(at, workOf("one"))).code).toBe(0);
  for (const look of ["status", "show", "log", "squash"]) {
    const looked = await quasar(at, ["nebula", look]);
    expect(looked.code, look + looked.stderr).toBe(0);
  }
  expect((await quasar(at, ["nebula", "diff", "one", "--landed"])).code).toBe(0);
  const status = lastRecord(await quasar(at, ["nebula", "status", "--json"]));
  expect(status).toMatchObject({ isFinished: true, nebula: "demo", exit: 0 });
  const pause = await quasar(at, ["nebula", "pause", "--json"]);
  expect(lastRecord(pause)).toMatchObject({ message: "the nebula demo has ended", exit: 8 });
});
