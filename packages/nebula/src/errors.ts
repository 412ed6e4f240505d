/** Why something about a nebula was refused. Part of the API: adding a code is minor, renaming one is major. */
export type NebulaErrorCode =
  /** The folder is none, or has no nebula.toml. */
  | "ERR_NO_NEBULA"
  /** Its files contradict themselves or what a nebula may say; the problems say where. */
  | "ERR_INVALID_NEBULA"
  /** A nebula.state.toml is not what any quasar has written. */
  | "ERR_INVALID_STATE"
  /** A nebula.state.toml is of a version that this one does not know; it was left alone. */
  | "ERR_INCOMPATIBLE_VERSION";

/** Thrown when a nebula cannot be read or must not be worked on. Branch on `code`, not `message`. */
export class NebulaError extends Error {
  override readonly name = "NebulaError";
  readonly code: NebulaErrorCode;

  constructor(code: NebulaErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
