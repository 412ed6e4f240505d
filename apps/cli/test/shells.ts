import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { findProgram } from "../src/shared/find-program.ts";
import { ATLAS } from "./atlas/harness.ts";
import { MAIN, type Place, write } from "./harness.ts";

export type Shell = "bash" | "zsh" | "fish";

/** A place whose user has both commands, and their scripts where each shell looks for them. */
export interface ShellPlace extends Place {
  /** The folder of the commands. */
  readonly bin: string;
}

/** Where a shell looks for the script of a command, from the home folder. */
const SCRIPTS: Readonly<Record<Shell, (name: string) => string>> = {
  bash: (name) => `.local/share/bash-completion/completions/${name}`,
  zsh: (name) => `.zfunc/_${name}`,
  fish: (name) => `.config/fish/completions/${name}.fish`,
};

const PROMPT = "ready> ";

export function withShells(at: Place): ShellPlace {
  const bin = join(at.outside, "bin");
  mkdirSync(bin);
  symlinkSync(MAIN, join(bin, "quasar"));
  symlinkSync(ATLAS, join(bin, "atlas"));
  const { PATH = "", HOME = "" } = at.env;
  const path = [bin, dirname(process.execPath), PATH].join(delimiter);
  const env = { ...at.env, PATH: path, ZDOTDIR: HOME, TERM: "xterm", LC_ALL: "C.UTF-8" };
  for (const [shell, pathOf] of Object.entries(SCRIPTS)) {
    for (const name of ["quasar", "atlas"]) {
      const script = execFileSync(join(bin, name), ["completion", shell], { env });
      write(HOME, { [pathOf(name)]: script.toString() });
    }
  }
  write(HOME, {
    // Its own tab expands what is typed, and runs it for that.
    ".zshrc": [
      `PS1='${PROMPT}'; zle_highlight=(none); bindkey '^I' complete-word`,
      "fpath=(~/.zfunc $fpath); autoload -U compinit; compinit -u -D\n",
    ].join("\n"),
    ".bashrc": `PS1='${PROMPT}'; bind 'set enable-bracketed-paste off'; ${LOAD_BASH}\n`,
  });
  return { ...at, env, bin };
}

/** As the package bash-completion does it for each command. */
const LOAD_BASH =
  "for script in ~/.local/share/bash-completion/completions/*; do source $script; done";

/**
 * What bash offers where the last of the words is typed.
 *
 * @param type - As bash says it: `9` for a tab, `63` for a list.
 */
export function offeredByBash(at: Place, words: readonly string[], type = 9): readonly string[] {
  const script = `${LOAD_BASH}
    COMP_TYPE=$1; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    _$1 "$1" "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD - 1]}"
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const args = ["--noprofile", "--norc", "-c", script, "bash", `${type}`, ...words];
  return linesOf(run(at, "bash", args));
}

/** What fish offers for a line, each with what it is. */
export function offeredByFish(at: Place, line: string): readonly string[] {
  return linesOf(run(at, "fish", ["-c", "complete -C $argv[1]", line]));
}

function run(at: Place, shell: Shell, args: readonly string[]): string {
  return execFileSync(needed(shell), args, { cwd: at.repo, env: at.env, encoding: "utf8" });
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}

/**
 * What a terminal shows after the last keys that are typed in a shell.
 *
 * @param steps - Keys, and what has to be seen before the next ones.
 */
export function shown(
  shell: "bash" | "zsh",
  at: Place,
  ...steps: readonly (readonly [keys: string, seen: string])[]
): string {
  const interactive = { bash: "bash --noprofile -i", zsh: "zsh -d -i" }[needed(shell)];
  const args = ["-f", "-c", DRIVER, "zsh", interactive, "", PROMPT, ...steps.flat()];
  const { status, stdout, stderr } = spawnSync(needed("zsh"), args, {
    ...{ cwd: at.repo, env: at.env, encoding: "utf8" },
  });
  if (status !== 0) throw new Error(`${stderr}the terminal shows ${JSON.stringify(stdout)}`);
  return stripVTControlCharacters(stdout);
}

/** Drives a command in a terminal: keys, what they have to show, keys, …; prints what the last ones show. */
const DRIVER = `
zmodload zsh/zpty zsh/zselect
zpty -b -e terminal "stty cols 100 rows 40; exec $1"
shift
while (( $# )); do
  seen= part= until=$(( SECONDS + 60 ))
  zpty -w -n terminal "$1"
  while [[ $seen != *"$2"* ]]; do
    if zpty -r -t terminal part; then
      seen+=$part
    elif (( SECONDS > until )); then
      print -r -u 2 -- "never shown: $2"
      print -rn -- "$seen"
      exit 1
    else
      zselect -t 5
    fi
  done
  shift 2
done
print -rn -- "$seen"
zpty -d terminal
exit 0
`;

function needed<S extends Shell>(shell: S): S {
  if (findProgram(shell, process.env["PATH"] ?? "") !== undefined) return shell;
  throw new Error(`this test needs ${shell}: apt-get install ${shell}`);
}
