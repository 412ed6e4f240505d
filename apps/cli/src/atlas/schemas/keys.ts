import { flag, list, text, whole, word } from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";
import * as v from "valibot";

const keyId = text("Its fingerprint");
const retired = flag("Whether another key signs by now");

export const keysLine = result("keys", "Which key signs", {
  dir: text("Where keys are kept"),
  hasKey: flag("Whether the private key is here"),
  hasBackup: flag("Whether its backup is here"),
  accounts: list(v.object({ keyId, retired }), "The keys that there were"),
});

export const keyLine = result("key", "The key that signs from now on", {
  source: word(["loaded", "created", "restored"], "Where it is from"),
  keyId,
  generation: whole("Counts the keys, from 0"),
});

export const publicKeysLine = result("public_keys", "The public keys", {
  keys: list(
    v.object({
      keyId,
      retired,
      ssh: text("A line of authorized_keys"),
      allowedSigners: text("A line of allowed_signers"),
      pem: text("SPKI"),
      minisign: text("A file of minisign"),
    }),
    "Retired ones too",
  ),
});

export const keyBackupLine = result("key_backup", "The private key was copied", {
  path: text("The copy"),
});

export type KeysLine = Printed<typeof keysLine>;
export type KeyLine = Printed<typeof keyLine>;
export type PublicKeysLine = Printed<typeof publicKeysLine>;
export type KeyBackupLine = Printed<typeof keyBackupLine>;
