/** A repository on GitHub, as its remote's URL names it. */
export interface GithubRepository {
  /** `github.com` */
  readonly host: string;
  readonly owner: string;
  readonly name: string;
}

const PART = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;
/** ssh behind a firewall. */
const ALIASES: Readonly<Record<string, string>> = { "ssh.github.com": "github.com" };

/**
 * The repository on GitHub that a remote's URL names; `undefined` where it names something else, such as
 * a folder. A host is GitHub's if it is `github.com`, ends in `.ghe.com`, or is what `GH_HOST` says.
 */
export function githubRepository(
  url: string,
  env: Readonly<Record<string, string | undefined>> = {},
): GithubRepository | undefined {
  const { host: told, path } = partsOf(url) ?? {};
  if (told === undefined || path === undefined) return undefined;
  const host = ALIASES[told] ?? told;
  const isGithub = host === "github.com" || /^[a-z0-9-]+\.ghe\.com$/.test(host);
  if (!isGithub && (host === "" || host !== env["GH_HOST"]?.toLowerCase())) return undefined;
  const [owner = "", name = "", ...rest] = path.replace(/^\//, "").replace(/\/$/, "").split("/");
  const plain = name.replace(/\.git$/, "");
  if (rest.length > 0 || !PART.test(owner) || !PART.test(plain)) return undefined;
  return { host, owner, name: plain };
}

function partsOf(url: string): { readonly host: string; readonly path: string } | undefined {
  const [, protocol, rest = ""] = /^([a-z+]+):\/\/(.*)$/i.exec(url) ?? [];
  if (protocol === undefined) {
    // As scp takes it: `git@github.com:owner/name.git`.
    const [, host, path] = /^(?:[^\s@/:]+@)?([a-z0-9.-]+):(?!\/\/)(.+)$/i.exec(url) ?? [];
    return host === undefined || path === undefined
      ? undefined
      : { host: host.toLowerCase(), path };
  }
  if (!/^(?:https?|ssh|git|git\+ssh)$/i.test(protocol)) return undefined;
  const parsed = URL.parse(`https://${rest}`);
  return parsed === null ? undefined : { host: parsed.hostname, path: parsed.pathname };
}

/** As `gh --repo` takes it. */
export function repositoryName({ host, owner, name }: GithubRepository): string {
  return `${host}/${owner}/${name}`;
}
