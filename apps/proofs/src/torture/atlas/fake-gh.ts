import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A pull request as the fake keeps it. */
export interface FakePullRequest {
  readonly number: number;
  readonly headRefName: string;
  readonly baseRefName: string;
}

/**
 * Puts a program `gh` into `<dir>/bin`, which answers as GitHub does: at most one open pull request for
 * a branch and its base, each at what the branch is at in the remote.
 *
 * @param remote - The bare repository that is pushed to.
 * @returns The folder of the program.
 */
export function installFakeGh(dir: string, remote: string): string {
  const bin = join(dir, "bin");
  mkdirSync(bin, { recursive: true });
  const settings = [stateFile(dir), remote].map((path) => JSON.stringify(path)).join(", ");
  writeFileSync(join(bin, "gh"), `#!${process.execPath}\n(${fakeGh.toString()})(${settings});\n`);
  chmodSync(join(bin, "gh"), 0o755);
  return bin;
}

/** The pull requests that there are. */
export function pullRequestsOf(dir: string): readonly FakePullRequest[] {
  const file = stateFile(dir);
  if (!existsSync(file)) return [];
  return JSON.parse(readFileSync(file, "utf8")) as FakePullRequest[];
}

function stateFile(dir: string): string {
  return join(dir, "pull-requests.json");
}

/** The program itself: its text is what is installed, so it uses nothing from outside. */
function fakeGh(state: string, remote: string): void {
  const fs = process.getBuiltinModule("node:fs");
  const path = process.getBuiltinModule("node:path");
  const args = process.argv.slice(2);
  const option = (name: string): string => {
    const found = args.find((each) => each.startsWith(`--${name}=`));
    return found?.slice(name.length + 3) ?? "";
  };
  const headOf = (branch: string): string => {
    const file = path.join(remote, "refs/heads", branch);
    return fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim() : "";
  };
  const all = fs.existsSync(state)
    ? (JSON.parse(fs.readFileSync(state, "utf8")) as FakePullRequest[])
    : [];
  const say = (stdout: string, stderr = "", exitCode = 0): void => {
    process.stdout.write(stdout);
    process.stderr.write(stderr);
    process.exitCode = exitCode;
  };
  const head = option("head");
  const base = option("base");
  const url = (number: number): string => `https://${option("repo")}/pull/${number}\n`;
  if (args[1] === "list") {
    const found = all.filter(({ headRefName }) => headRefName === head);
    const shown = found.map((each) => {
      return { ...each, state: "OPEN", headRefOid: headOf(head), isCrossRepository: false };
    });
    return say(JSON.stringify(shown));
  }
  if (args[1] !== "create") return say("", `unknown command ${args[1]}\n`, 1);
  const same = all.find(
    ({ headRefName, baseRefName }) => headRefName === head && baseRefName === base,
  );
  if (same !== undefined) {
    const already = `a pull request for branch "${head}" into branch "${base}" already exists:\n`;
    return say("", already + url(same.number), 1);
  }
  if (headOf(head) === "") return say("", "GraphQL: Head sha can't be blank\n", 1);
  const number = all.length + 1;
  const made: FakePullRequest = { number, headRefName: head, baseRefName: base };
  fs.writeFileSync(`${state}.new`, JSON.stringify([...all, made]));
  fs.renameSync(`${state}.new`, state);
  say(url(number));
}
