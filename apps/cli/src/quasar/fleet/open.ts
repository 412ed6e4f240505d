import { createFleetPort, type FleetPort } from "@quasar/fleet";
import { PortError } from "@quasar/nebula/port";
import { CliError } from "../../shared/errors.ts";
import { requireFleetKey } from "./key.ts";
import type { FleetSettings } from "./settings.ts";

export interface OpenOptions {
  /** For how long a call is repeated that has no answer, in milliseconds. @default as the port has it */
  readonly patienceMs?: number | undefined;
}

/** What to type where no fleet is configured. */
export const NO_FLEET_STEPS: readonly string[] = [
  "quasar fleet up   # to try it on this machine",
  "export QUASAR_FLEET=http://SERVER:8080   # for a server that is there; or url in [fleet] of your configuration",
];

/**
 * The port to the user's fleet. Its calls throw {@link PortError} with the code that they have anyway, in words that
 * name the server and the file of the key. It connects at the first call.
 *
 * @throws {CliError} `ERR_CONFIG` where no fleet is configured or the key is missing or none
 * @throws {DurableError} `ERR_UNSAFE_MODE` where others may read the key
 */
export function openFleet(settings: FleetSettings, { patienceMs }: OpenOptions = {}): FleetPort {
  const { url, keyFile } = settings;
  if (url === undefined) {
    throw new CliError("ERR_CONFIG", "no fleet is configured", { next: NO_FLEET_STEPS });
  }
  const port = createFleetPort({ url, key: requireFleetKey(keyFile), patienceMs });
  const worded = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((error: unknown) => {
      throw inWords(error, url, keyFile);
    });
  return {
    submit: (submission) => worded(port.submit(submission)),
    lease: (ask) => worded(port.lease(ask)),
    renew: (held) => worded(port.renew(held)),
    release: (held, how) => worded(port.release(held, how)),
    fence: (held) => worded(port.fence(held)),
    record: (held, entry) => worded(port.record(held, entry)),
    wait: (nebula, id, signal) => worded(port.wait(nebula, id, signal)),
    resolve: (nebula, id, reply) => worded(port.resolve(nebula, id, reply)),
    signal: (nebula, what) => worded(port.signal(nebula, what)),
    async *watch(nebula, from, signal) {
      try {
        return yield* port.watch(nebula, from, signal);
      } catch (error) {
        throw inWords(error, url, keyFile);
      }
    },
    list: () => worded(port.list()),
    status: (nebula) => worded(port.status(nebula)),
    close: () => port.close(),
  };
}

/** The same error, of the same code, in words for a person; an error of another kind as it is. */
function inWords(error: unknown, url: string, keyFile: string): unknown {
  if (!(error instanceof PortError)) return error;
  const { code, message } = error;
  switch (code) {
    case "ERR_UNREACHABLE":
      return new PortError(code, `the fleet's server at ${message}`, { cause: error });
    case "ERR_DENIED":
      return new PortError(code, `${url} has another fleet key than ${keyFile}`, { cause: error });
    case "ERR_PROTOCOL":
      return new PortError(
        code,
        `${url} is no fleet's server, or one of another version of quasar: ${message}`,
        { cause: error },
      );
    case "ERR_NOT_FOUND":
    case "ERR_CONFLICT":
    case "ERR_USAGE":
    case "ERR_TOO_LARGE":
      return error;
  }
}
