import { join, resolve } from "node:path";
import { createOnce, readPrivateFile } from "@quasar/durable";
import { exportPublicKeys, type KeyStatus, type PublicKeyTexts } from "@quasar/receipts/keys";
import { cleanLine, jsonLine, shellWord } from "@quasar/runs/text";
import { result } from "../../shared/output/json.ts";
import { CliError } from "../../shared/errors.ts";
import { ATLAS_EXIT, EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines } from "../../shared/output/text.ts";
import type { Given } from "../command.ts";
import { openInstallation } from "../installation.ts";
import { keyFacts, keyWords, MASTER, waysWithoutKey } from "../key-facts.ts";
import type { KeysLine } from "../schemas/keys.ts";
import type { KeyLine } from "../schemas/keys.ts";
import type { PublicKeysLine } from "../schemas/keys.ts";
import type { KeyBackupLine } from "../schemas/keys.ts";

const BACKUP = ["atlas keys backup <path>"];
const COPY_IT =
  "atlas keys backup <path>   # elsewhere: the backup beside it does not survive the disk";

/** `atlas keys status`: which key signs. Makes none. */
export function keysStatusCommand({ json }: Given): ExitCode {
  const { keys } = openInstallation();
  const { accounts, hasKey, hasBackup, isMissing } = keyFacts(keys);
  const exit = isMissing ? ATLAS_EXIT.key : EXIT.ok;
  const next = isMissing ? waysWithoutKey(keys.dir) : hasKey ? [COPY_IT] : [];
  if (json === true) {
    const listed = accounts.map(({ keyId, retired }) => ({ keyId, retired }));
    const line = { dir: keys.dir, hasKey, hasBackup, accounts: listed };
    process.stdout.write(jsonLine(result("keys", line, exit, next) satisfies KeysLine));
    return exit;
  }
  const view = viewOf(process.stdout);
  const current = accounts.filter(({ retired }) => !retired).map(({ keyId }) => keyId);
  const before = accounts.filter(({ retired }) => retired).map(({ keyId }) => keyId);
  const key = keyWords({ hasKey, hasBackup, isMissing });
  write(process.stdout, [
    ...labelled(view, "key", key, isMissing ? "red" : undefined),
    ...(current.length === 0 ? [] : labelled(view, "signs as", current.join(" "))),
    ...(before.length === 0 ? [] : labelled(view, "before", before.join(" "))),
    ...labelled(view, "in", cleanLine(keys.dir)),
    ...nextLines(next, view),
  ]);
  return exit;
}

/** `atlas keys init`: makes a key; also where the old one is lost, which is a person's decision. */
export function keysInitCommand({ json }: Given): ExitCode {
  return told(openInstallation().keys.init(), json, {
    loaded: "the key is here: nothing was changed",
    restored: "the key is back, from its backup",
    created: "a new key was made",
  });
}

/** `atlas keys rotate`: another key signs from now on. */
export function keysRotateCommand({ json }: Given): ExitCode {
  const said = "another key signs from now on; receipts of the one before stay valid";
  return told(openInstallation().keys.rotate(), json, {
    loaded: said,
    restored: said,
    created: said,
  });
}

function told(
  status: KeyStatus,
  json: true | undefined,
  words: Readonly<Record<KeyStatus["source"], string>>,
): ExitCode {
  if (json === true) {
    process.stdout.write(jsonLine(result("key", status, EXIT.ok, BACKUP) satisfies KeyLine));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  write(process.stdout, [
    ...labelled(view, "key", words[status.source], "green"),
    ...labelled(view, "signs as", `${status.keyId}, generation ${status.generation}`),
    ...nextLines(BACKUP, view),
  ]);
  return EXIT.ok;
}

const FORMATS: Readonly<Record<string, keyof PublicKeyTexts>> = {
  ssh: "ssh",
  "allowed-signers": "allowedSigners",
  pem: "pem",
  minisign: "minisign",
};

/** `atlas keys export`: the public keys, retired ones too, for who verifies elsewhere. */
export function keysExportCommand({ format = "ssh", json }: Given): ExitCode {
  const form = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (form === undefined) {
    const known = Object.keys(FORMATS).join(", ");
    throw new CliError("ERR_USAGE", `--format must be one of ${known}, not ${format}`);
  }
  const { keys } = openInstallation();
  const texts = exportPublicKeys(keys);
  if (texts.length === 0) {
    throw new CliError("ERR_KEY", "there is no key yet", { next: ["atlas keys init"] });
  }
  if (json === true) {
    const line = result("public_keys", { keys: texts }, EXIT.ok) satisfies PublicKeysLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  write(
    process.stdout,
    texts.map((text) => String(text[form]).trimEnd()),
  );
  return EXIT.ok;
}

/** `atlas keys backup`: a copy of the private key, in a new file that only its owner can read. */
export function keysBackupCommand(path: string, { json }: Given): ExitCode {
  const { keys } = openInstallation();
  const key = readPrivateFile(join(keys.dir, MASTER), { maxBytes: 4096 });
  if (key === undefined) {
    throw new CliError("ERR_KEY", "there is no private key to copy", {
      next: ["atlas keys status", "atlas keys init"],
    });
  }
  const target = resolve(path);
  if (!createOnce(target, key, 0o600)) {
    throw new CliError("ERR_EXISTS", `${cleanLine(target)} is there already: it is left alone`, {
      next: [`atlas keys backup ${shellWord(`${path}.new`)}`],
    });
  }
  const next = [`to restore it: cp ${shellWord(target)} ${shellWord(join(keys.dir, MASTER))}`];
  if (json === true) {
    const line = result("key_backup", { path: target }, EXIT.ok, next) satisfies KeyBackupLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  write(process.stdout, [
    ...labelled(view, "copied", cleanLine(target), "green"),
    ...labelled(view, "care", "whoever has this file can sign in your name"),
    ...nextLines(next, view),
  ]);
  return EXIT.ok;
}
