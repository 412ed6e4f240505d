import * as v from "valibot";
import { type GhAnswer, type GhContext, runGh } from "./gh.ts";
import { type GithubRepository, repositoryName } from "./repository.ts";

/** A pull request whose branch is in the repository itself. */
export interface PullRequest {
  readonly number: number;
  /** Made of the number: what `gh` prints is not believed. */
  readonly url: string;
  readonly state: "OPEN" | "CLOSED" | "MERGED";
  /** The commit that its branch is at, or was when it was closed. */
  readonly head: string;
  /** The branch that it goes to. */
  readonly base: string;
}

export interface NewPullRequest {
  /** Without `refs/heads/`, as is `base`. */
  readonly branch: string;
  /** `""`: the repository's default branch. */
  readonly base: string;
  readonly title: string;
  readonly body: string;
}

/** One check of a pull request's newest commit. */
export interface Check {
  /** As others named it: hostile text. */
  readonly name: string;
  readonly bucket: "pass" | "fail" | "pending" | "skipping" | "cancel";
}

/** What is asked of GitHub. Each rejects with the signal's reason when aborted. */
export interface Github {
  readonly repository: GithubRepository;
  /** The pull requests of a branch, newest first; not those that come from forks. */
  pullRequestsOf(branch: string): Promise<GhAnswer<readonly PullRequest[]>>;
  /** Makes one. Where it fails there may be one all the same: look. */
  create(pullRequest: NewPullRequest): Promise<GhAnswer<number | undefined>>;
  /** The commit that the checks are of. */
  headOf(number: number): Promise<GhAnswer<string>>;
  /** Empty while nobody has reported any. */
  checksOf(number: number): Promise<GhAnswer<readonly Check[]>>;
}

const SHA = v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));
const NUMBER = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

const LISTED = v.array(
  v.object({
    number: NUMBER,
    state: v.picklist(["OPEN", "CLOSED", "MERGED"]),
    headRefName: v.string(),
    headRefOid: SHA,
    baseRefName: v.string(),
    isCrossRepository: v.boolean(),
  }),
);
const VIEWED = v.object({ headRefOid: SHA });
const CHECKS = v.array(
  v.object({
    name: v.string(),
    bucket: v.picklist(["pass", "fail", "pending", "skipping", "cancel"]),
  }),
);

/** Touches nothing until one of its functions is called. */
export function createGithub(repository: GithubRepository, context: GhContext): Github {
  const inRepository = `--repo=${repositoryName(repository)}`;
  const urlOf = (number: number): string => {
    const { host, owner, name } = repository;
    return `https://${host}/${owner}/${name}/pull/${number}`;
  };
  const ask = async <Schema extends v.GenericSchema>(
    schema: Schema,
    args: readonly string[],
  ): Promise<GhAnswer<v.InferOutput<Schema>>> => {
    const answer = await runGh(args, context);
    return answer.kind === "ok" ? parse(schema, answer.value) : answer;
  };
  return {
    repository,
    async pullRequestsOf(branch) {
      const fields = "number,state,headRefName,headRefOid,baseRefName,isCrossRepository";
      const which = [`--head=${branch}`, "--state=all", "--limit=200", `--json=${fields}`];
      const answer = await ask(LISTED, ["pr", "list", inRepository, ...which]);
      if (answer.kind !== "ok") return answer;
      const value = answer.value
        // A fork can have a branch of the same name: anybody's work.
        .filter((each) => each.headRefName === branch && !each.isCrossRepository)
        .map(({ number, state, headRefOid, baseRefName }): PullRequest => {
          return { number, url: urlOf(number), state, head: headRefOid, base: baseRefName };
        })
        .toSorted((a, b) => b.number - a.number);
      return { kind: "ok", value };
    },
    async create({ branch, base, title, body }) {
      const to = base === "" ? [] : [`--base=${base}`];
      const what = [`--head=${branch}`, ...to, `--title=${title}`, "--body-file=-"];
      const answer = await runGh(["pr", "create", inRepository, ...what], context, body);
      if (answer.kind !== "ok") return answer;
      const last = answer.value.trim().split("\n").at(-1) ?? "";
      const number = Number(/\/pull\/([1-9]\d{0,9})$/.exec(last)?.[1]);
      const isOurs = last.toLowerCase() === urlOf(number).toLowerCase();
      return { kind: "ok", value: isOurs ? number : undefined };
    },
    async headOf(number) {
      const args = ["pr", "view", String(number), inRepository, "--json=headRefOid"];
      const answer = await ask(VIEWED, args);
      return answer.kind === "ok" ? { kind: "ok", value: answer.value.headRefOid } : answer;
    },
    async checksOf(number) {
      const args = ["pr", "checks", String(number), inRepository, "--json=name,bucket"];
      const answer = await ask(CHECKS, args);
      const isNone = answer.kind === "failed" && /^no checks reported on /m.test(answer.message);
      return isNone ? { kind: "ok", value: [] } : answer;
    },
  };
}

function parse<Schema extends v.GenericSchema>(
  schema: Schema,
  json: string,
): GhAnswer<v.InferOutput<Schema>> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), json);
  if (parsed.success) return { kind: "ok", value: parsed.output };
  const message = `gh answered what was not asked for: ${parsed.issues[0].message}`;
  return { kind: "failed", message: message.slice(0, 300) };
}
