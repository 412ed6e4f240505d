import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { aDirectory } from "../../test/request.ts";
import { createEnvFileRedactor } from "./env-files.ts";

function aTree(files: Readonly<Record<string, string>>): string {
  const dir = aDirectory();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}

const VALUE = "7hunter-two-7";

test.for([
  ["a value", ".env", `STRIPE=${VALUE}`],
  ["a quoted one", ".env", `A="${VALUE}" # why`],
  ["an exported one", ".envrc", `export A='${VALUE}'`],
  ["one of a stage", ".env.production", `A=${VALUE}`],
  ["one of a part of the tree", "apps/web/.env.local", `A=${VALUE}`],
  ["a line of a value of many", ".env", `KEY="-----BEGIN KEY-----\n${VALUE}\n-----END KEY-----"`],
  ["words under a name that says what they are", ".env", `DB_PASSWORD=${VALUE}`],
] as const)("removes %s", ([, name, text]) => {
  const redact = createEnvFileRedactor(aTree({ [name]: text }));
  expect(redact(`it is ${VALUE}.`)).toBe("it is [redacted].");
});

test.for([
  ["NODE_ENV=production", "Fix the production build"],
  ["DEBUG=true\nPORT=3000", "true on 3000"],
  ["API_URL=https://api.example.org/", "call https://api.example.org/ once"],
  ["HOST=127.0.0.1:5432", "listen on 127.0.0.1:5432"],
  ["ENTRY=./src/index.ts", "Fix ./src/index.ts"],
  ["APP=my-application", "my-application starts"],
] as const)("leaves what texts speak of: %s", ([file, text]) => {
  expect(createEnvFileRedactor(aTree({ ".env": file }))(text)).toBe(text);
});

test("removes ordinary words under a name that looks secret", () => {
  const redact = createEnvFileRedactor(aTree({ ".env": "DB_PASSWORD=correcthorse" }));
  expect(redact("it is correcthorse")).toBe("it is [redacted]");
});

test("removes values of files that are named, whatever they are called", () => {
  const redact = createEnvFileRedactor(aTree({ "conf/local": `A=${VALUE}` }), [
    "conf/local",
    "none",
  ]);
  expect(redact(`it is ${VALUE}`)).toBe("it is [redacted]");
});

test("reads the files anew for each text, links to them too, and passes over what is none", () => {
  const elsewhere = aTree({ shared: `A=${VALUE}` });
  const dir = aTree({ "node_modules/x/.env": "A=left-as-it-is-9" });
  const redact = createEnvFileRedactor(dir);
  expect(redact(VALUE)).toBe(VALUE);
  symlinkSync(join(elsewhere, "shared"), join(dir, ".env"));
  symlinkSync("/dev/zero", join(dir, ".env.zero"));
  symlinkSync(".env.loop", join(dir, ".env.loop"));
  mkdirSync(join(dir, ".env.d"));
  expect(redact(`${VALUE} left-as-it-is-9`)).toBe("[redacted] left-as-it-is-9");
});
