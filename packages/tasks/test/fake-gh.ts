import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** A pull request as the fake keeps it. */
export interface FakePullRequest {
  readonly number: number;
  /** `github.com/acme/widgets` */
  readonly repository: string;
  readonly state: "OPEN" | "CLOSED" | "MERGED";
  readonly headRefName: string;
  /** Of an open one it is the remote's, as long as `remote` is set. */
  readonly headRefOid: string;
  readonly baseRefName: string;
  readonly isCrossRepository: boolean;
  readonly title: string;
  readonly body: string;
}

type Verb = "list" | "create" | "view" | "checks";

export interface FakeGhState {
  readonly isLoggedIn: boolean;
  readonly pullRequests: readonly FakePullRequest[];
  /** What each asking for checks is told; the last again and again. */
  readonly checks: readonly (readonly { readonly name: string; readonly bucket: string }[])[];
  /** The bare repository that is pushed to; a branch that is not there has no pull request. */
  readonly remote: string;
  /** By verb: ends with this instead; `stdout` takes the place of the answer and ends with 0. */
  readonly fails: { readonly [V in Verb]?: { readonly stderr?: string; readonly stdout?: string } };
  /** Once, at this instant: kills the process `ENGINE_PID`, if that is set. */
  readonly kills: "" | "before-create" | "after-create";
  /** What is printed once a pull request is made; `""`: its URL. */
  readonly createSays: string;
}

const BLANK: FakeGhState = {
  isLoggedIn: true,
  pullRequests: [],
  checks: [],
  remote: "",
  fails: {},
  kills: "",
  createSays: "",
};

export interface FakeGh {
  /** The folder that `gh` is in. */
  readonly bin: string;
  /** A PATH that begins with it. */
  readonly path: string;
  state(): FakeGhState;
  set(change: Partial<FakeGhState>): void;
  /** The arguments of each call, and what was read from stdin. */
  calls(): readonly { readonly args: readonly string[]; readonly input: string }[];
}

/**
 * Puts a program `gh` into a folder of its own below `dir`, which answers as GitHub does: at most one
 * open pull request for a branch and its base, exit code 4 where nobody is logged in.
 */
export function installFakeGh(dir: string): FakeGh {
  const bin = join(dir, "bin");
  mkdirSync(bin, { recursive: true });
  const stateFile = join(dir, "gh.json");
  const logFile = join(dir, "gh.log");
  const program = join(bin, "gh");
  const settings = `const STATE = ${JSON.stringify(stateFile)}, LOG = ${JSON.stringify(logFile)};\n`;
  writeFileSync(program, `#!${process.execPath}\n${settings}(${fakeGh.toString()})(STATE, LOG);\n`);
  chmodSync(program, 0o755);
  writeFileSync(stateFile, JSON.stringify(BLANK));
  const state = (): FakeGhState => JSON.parse(readFileSync(stateFile, "utf8")) as FakeGhState;
  return {
    bin,
    path: `${bin}${delimiter}${process.env["PATH"] ?? ""}`,
    state,
    set: (change) => writeFileSync(stateFile, JSON.stringify({ ...state(), ...change })),
    calls: () => {
      if (!existsSync(logFile)) return [];
      const lines = readFileSync(logFile, "utf8").split("\n").slice(0, -1);
      return lines.map((line) => JSON.parse(line) as { args: string[]; input: string });
    },
  };
}

/** The program itself: its text is what is installed, so it uses nothing from outside. */
function fakeGh(stateFile: string, logFile: string): void {
  const fs = process.getBuiltinModule("node:fs");
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  const args = process.argv.slice(2);
  const input = args.includes("--body-file=-") ? fs.readFileSync(0, "utf8") : "";
  fs.appendFileSync(logFile, `${JSON.stringify({ args, input })}\n`);

  const load = (): FakeGhState => JSON.parse(fs.readFileSync(stateFile, "utf8")) as FakeGhState;
  const save = (change: Partial<FakeGhState>): void => {
    fs.writeFileSync(`${stateFile}.new`, JSON.stringify({ ...load(), ...change }));
    fs.renameSync(`${stateFile}.new`, stateFile);
  };
  const end = (stdout: string, stderr = "", exitCode = 0): never => {
    process.stdout.write(stdout);
    process.stderr.write(stderr);
    process.exit(exitCode);
  };
  const option = (name: string): string => {
    const found = args.find((each) => each.startsWith(`--${name}=`));
    return found?.slice(name.length + 3) ?? "";
  };
  const verb = args[1] as Verb;
  const state = load();
  if (!state.isLoggedIn) end("", "To get started with GitHub CLI, please run:  gh auth login\n", 4);
  const failure = state.fails[verb];
  if (failure?.stdout !== undefined) end(failure.stdout);
  if (failure?.stderr !== undefined) end("", failure.stderr, 1);

  const headOf = (branch: string, otherwise: string): string => {
    if (load().remote === "") return otherwise;
    const where = ["-C", load().remote, "rev-parse", "--verify", "-q", `refs/heads/${branch}`];
    try {
      return execFileSync("git", where, { encoding: "utf8", stdio: "pipe" }).trim();
    } catch {
      return "";
    }
  };
  const pullRequests = (): readonly FakePullRequest[] =>
    load()
      .pullRequests.filter(({ repository }) => repository === option("repo"))
      .map((each) =>
        each.state === "OPEN" && !each.isCrossRepository
          ? { ...each, headRefOid: headOf(each.headRefName, each.headRefOid) }
          : each,
      );
  const killOnce = (instant: FakeGhState["kills"]): void => {
    if (load().kills !== instant) return;
    save({ kills: "" });
    process.kill(Number(process.env["ENGINE_PID"]), "SIGKILL");
    // What is left running continues beside the next engine.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 800);
  };
  const numbered = (): FakePullRequest | undefined =>
    pullRequests().find(({ number }) => String(number) === args[2]);

  if (verb === "list") {
    const [head, wanted] = [option("head"), option("state")];
    const found = pullRequests().filter((each) => each.headRefName === head);
    const fitting = found.filter((each) => wanted === "all" || each.state === "OPEN");
    end(JSON.stringify(fitting.toReversed()));
  }
  if (verb === "create") {
    killOnce("before-create");
    const [branch, base] = [option("head"), option("base") || "main"];
    const same = pullRequests().find(
      (each) => each.state === "OPEN" && each.headRefName === branch && each.baseRefName === base,
    );
    const url = (number: number): string => `https://${option("repo")}/pull/${number}\n`;
    if (same !== undefined && !same.isCrossRepository) {
      const already = `a pull request for branch "${branch}" into branch "${base}" already exists:\n`;
      end("", already + url(same.number), 1);
    }
    const sha = headOf(branch, "0".repeat(40));
    if (sha === "") end("", "pull request create failed: GraphQL: Head sha can't be blank\n", 1);
    const number = load().pullRequests.length + 1;
    const made: FakePullRequest = {
      number,
      repository: option("repo"),
      state: "OPEN",
      headRefName: branch,
      headRefOid: sha,
      baseRefName: base,
      isCrossRepository: false,
      title: option("title"),
      body: input,
    };
    save({ pullRequests: [...load().pullRequests, made] });
    killOnce("after-create");
    end(load().createSays || url(number));
  }
  const pullRequest = numbered();
  if (pullRequest === undefined) end("", "no pull requests found\n", 1);
  if (verb === "view") end(JSON.stringify({ headRefOid: pullRequest?.headRefOid }));
  if (verb === "checks") {
    const [now = [], ...later] = load().checks;
    if (later.length > 0) save({ checks: later });
    if (now.length === 0)
      end("", `no checks reported on the '${pullRequest?.headRefName}' branch\n`, 1);
    end(JSON.stringify(now));
  }
  end("", `unknown command ${verb}\n`, 1);
}
