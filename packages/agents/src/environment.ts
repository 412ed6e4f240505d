import type { AgentRequest } from "./agent.ts";
import { isSecretName } from "./secrets/values.ts";

/** Which variables an agent gets, beside its own family's. */
export interface EnvironmentOptions {
  /** Where variables are taken from. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** More names to let through, such as `AWS_PROFILE`; one that ends in `*` is a prefix. */
  readonly passEnv?: readonly string[] | undefined;
  /** Variables to set where the environment has none. */
  readonly defaultEnv?: Readonly<Record<string, string>> | undefined;
  /** Variables to set whatever the environment says. */
  readonly setEnv?: Readonly<Record<string, string>> | undefined;
}

/** Let through to every agent. @see SPEC.md, "Environment" */
const ALLOWED: readonly string[] = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ", "LANG", "LC_*", "XDG_*"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"],
  ...["http_proxy", "https_proxy", "all_proxy", "no_proxy"],
  ...["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"],
  // Of toolchains: those among them that look like a secret are not.
  ...["CI", "VIRTUAL_ENV", "PYENV_*", "JAVA_HOME", "GOPATH", "GOCACHE", "GOFLAGS"],
  ...["CARGO_*", "RUSTUP_*", "NVM_*", "PNPM_HOME"],
];

/** Never let through, whatever is configured: keys that sign what an agent must not be able to. */
const FORBIDDEN = /(_SIGNING_KEY|_PRIVATE_KEY|_MASTER_KEY)$|^(QUASAR|ATLAS)_/i;

const matches = (patterns: readonly string[], name: string) =>
  patterns.some((p) => (p.endsWith("*") ? name.startsWith(p.slice(0, -1)) : name === p));

/** What of the environment is let through. What is named to be passed is, though it looks secret. */
function letThrough(
  own: readonly string[],
  { env = process.env, passEnv = [] }: EnvironmentOptions,
): Record<string, string> {
  const named = [...own, ...passEnv];
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || FORBIDDEN.test(name)) continue;
    if (matches(named, name) || (matches(ALLOWED, name) && !isSecretName(name))) {
      result[name] = value;
    }
  }
  return result;
}

/**
 * The environment of a check: what agents get, without their own variables.
 *
 * @see SPEC.md, "Environment"
 */
export function checkEnvironment(options: EnvironmentOptions = {}): Record<string, string> {
  return { ...letThrough([], options), ...options.setEnv };
}

/** Names of the variables that a check does not get, sorted; those that say nothing to a program left out. */
export function withheldFromChecks(options: EnvironmentOptions = {}): readonly string[] {
  const { env = process.env } = options;
  const given = checkEnvironment(options);
  return Object.keys(env)
    .filter((name) => env[name] !== undefined && !(name in given) && !UNTOLD.test(name))
    .toSorted();
}

/** What shells, terminals and desktops keep in an environment. */
const UNTOLD =
  /^(_|PWD|OLDPWD|SHLVL|LS_COLORS|COLORTERM|TERM_.*|GIT_(AUTHOR|COMMITTER|CONFIG)_.*|SSH_(CLIENT|CONNECTION|TTY)|DBUS_.*|DISPLAY|WAYLAND_DISPLAY|MAIL|HOSTNAME|EDITOR|VISUAL|PAGER|LESS.*|PS[0-9]|HIST.*|QUASAR_.*|ATLAS_.*|npm_.*|NODE|INIT_CWD)$/;

/**
 * The environment of an agent: an allow-list, so that no secret comes along unasked.
 *
 * @param own - patterns of the agent's own variables, such as `ANTHROPIC_*`.
 * @see SPEC.md, "Environment"
 */
export function agentEnvironment(
  ids: Pick<AgentRequest, "runId" | "turnId" | "env">,
  own: readonly string[],
  options: EnvironmentOptions = {},
): Record<string, string> {
  const { defaultEnv = {}, setEnv = {} } = options;
  const prefix = `${ids.runId}.`;
  const turn = ids.turnId.startsWith(prefix) ? ids.turnId.slice(prefix.length) : ids.turnId;
  return {
    ...defaultEnv,
    ...letThrough(own, options),
    ...setEnv,
    ...ids.env,
    GIT_REFLOG_ACTION: `quasar:${ids.runId}/${turn}`,
    QUASAR_RUN_ID: ids.runId,
    QUASAR_TURN_ID: ids.turnId,
  };
}
