import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { fleetSettings } from "./settings.ts";

const config = mkdtempSync(join(tmpdir(), "quasar-fleet-settings-"));
afterAll(() => rmSync(config, { recursive: true }));

const ENV = { QUASAR_FLEET: "http://environment", QUASAR_FLEET_KEY_FILE: "/keys/environment" };

function settings(toml: string, env: Readonly<Record<string, string>> = {}, url?: string) {
  writeFileSync(join(config, "config.toml"), toml);
  return fleetSettings({ url }, { folders: { config, state: config }, env });
}

test("who has set nothing has no fleet, and a key's place beside their configuration", () => {
  const keyFile = join(config, "fleet.key");
  expect(settings("")).toEqual({ url: undefined, keyFile, depots: [] });
  expect(settings("[fleet]\nurl = ''\n", { QUASAR_FLEET_KEY_FILE: "" })).toEqual(settings(""));
});

test("a flag is before the environment, and that before the user's file", () => {
  const toml =
    "[fleet]\nurl = 'https://file'\nkey_file = '/keys/file'\ndepots = ['/a', 'ssh://b']\n";
  const depots = ["/a", "ssh://b"];
  expect(settings(toml)).toEqual({ url: "https://file", keyFile: "/keys/file", depots });
  const ofEnvironment = { url: "http://environment", keyFile: "/keys/environment", depots };
  expect(settings(toml, ENV)).toEqual(ofEnvironment);
  expect(settings(toml, ENV, "http://[::1]:8080").url).toBe("http://[::1]:8080");
});

test.for([
  "ftp://x",
  "http://x/path",
  "http://me:word@x",
  "http://x?a=b",
  "localhost:8080",
  "http://x y",
  "",
])("%j is no server's address", (url) => {
  expect(() => settings("", {}, url)).toThrow(expect.objectContaining({ code: "ERR_USAGE" }));
  if (url === "") return;
  const wrong = expect.objectContaining({ code: "ERR_CONFIG" });
  expect(() => settings("", { QUASAR_FLEET: url })).toThrow(wrong);
  expect(() => settings(`[fleet]\nurl = '${url}'\n`)).toThrow(wrong);
});

test("a key's file is named by its absolute path", () => {
  const wrong = expect.objectContaining({ code: "ERR_CONFIG" });
  expect(() => settings("[fleet]\nkey_file = 'fleet.key'\n")).toThrow(wrong);
});
