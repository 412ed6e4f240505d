import { durableGitEnv } from "@quasar/git";

/** Which variables an agent gets, beside its own family's. */
export interface EnvironmentOptions {
  /** Where variables are taken from. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** More names to let through, such as `AWS_PROFILE`; one that ends in `*` is a prefix. */
  readonly passEnv?: readonly string[] | undefined;
  /** Variables to set whatever the environment says. */
  readonly setEnv?: Readonly<Record<string, string>> | undefined;
}

/** Let through to every agent. @see SPEC.md, "Environment" */
const ALLOWED: readonly string[] = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ", "LANG", "LC_*", "XDG_*"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"],
  ...["http_proxy", "https_proxy", "all_proxy", "no_proxy"],
  ...["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"],
];

/** Never let through, whatever is configured: keys that sign what an agent must not be able to. */
const FORBIDDEN = /(_SIGNING_KEY|_PRIVATE_KEY|_MASTER_KEY)$|^(QUASAR|ATLAS)_/i;

const matches = (patterns: readonly string[], name: string) =>
  patterns.some((p) => (p.endsWith("*") ? name.startsWith(p.slice(0, -1)) : name === p));

/**
 * The environment of an agent: an allow-list, so that no secret comes along unasked.
 *
 * @param own - patterns of the agent's own variables, such as `ANTHROPIC_*`.
 * @see SPEC.md, "Environment"
 */
export function agentEnvironment(
  ids: { readonly runId: string; readonly turnId: string },
  own: readonly string[],
  options: EnvironmentOptions = {},
): Record<string, string> {
  const { env = process.env, passEnv = [], setEnv = {} } = options;
  const allowed = [...ALLOWED, ...own, ...passEnv];
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && matches(allowed, name) && !FORBIDDEN.test(name)) {
      result[name] = value;
    }
  }
  const prefix = `${ids.runId}.`;
  const turn = ids.turnId.startsWith(prefix) ? ids.turnId.slice(prefix.length) : ids.turnId;
  const given = { ...result, ...setEnv };
  return {
    ...given,
    ...durableGitEnv(given),
    GIT_REFLOG_ACTION: `quasar:${ids.runId}/${turn}`,
    QUASAR_RUN_ID: ids.runId,
    QUASAR_TURN_ID: ids.turnId,
  };
}
