export { formatKeyPath, parseKeyPath } from "../key-path.ts";
export type { KeyStatus } from "../master-key.ts";
export { exportPublicKeys, type KeyRing, pinKeys, type PublicKeyTexts } from "../public-key.ts";
