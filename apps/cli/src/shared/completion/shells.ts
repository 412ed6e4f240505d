/**
 * Scripts that complete a command, by shell. Each asks the command's own `complete`, and evaluates nothing of it.
 *
 * The command may be installed by another name than its own, of which its own is an alias then: both are completed, since
 * a shell may look for either.
 */
export const SHELLS: Readonly<Record<string, (name: string, installed: string) => string>> = {
  bash,
  zsh,
  fish,
};

function namesOf(name: string, installed: string): string {
  return [...new Set([name, installed])].join(" ");
}

// All three take a candidate and what it is, divided by a tab, or ":files".

function bash(name: string, installed: string): string {
  return `# Completion of ${name} in bash. Where it belongs: ${name} completion --help

_${name}() {
  local line word prefix='' isOpen='' i n=-1
  local -a words=() shown=()
  # Bash makes three words of --flag=value.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == '=' && $n -ge 0 ]]; then
      prefix=\${words[n]}= isOpen=yes
      words[n]=$prefix
    elif [[ -n $isOpen ]]; then
      prefix=\${words[n]} isOpen=''
      words[n]+=$word
    else
      prefix=''
      words[++n]=$word
    fi
  done
  words[n]=$prefix$2
  COMPREPLY=()
  compopt -o nosort 2>/dev/null
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt +o nosort -o default 2>/dev/null
      continue
    fi
    word=\${line%%$'\\t'*}
    word=\${word#"$prefix"}
    [[ $word == "$2"* ]] || continue
    line="$word  \${line#*$'\\t'}"
    shown+=("\${line:0:\${COLUMNS:-80}}")
    printf -v word %q "$word"
    COMPREPLY+=("$word")
  done < <(${installed} complete -- "\${words[@]}" 2>/dev/null </dev/null)
  # What each is can be shown where nothing but a list is asked for.
  case \${COMP_TYPE-} in
    33 | 63 | 64) ((\${#shown[@]} < 2)) || COMPREPLY=("\${shown[@]}") ;;
  esac
}

complete -F _${name} ${namesOf(name, installed)}
`;
}

function zsh(name: string, installed: string): string {
  return `#compdef ${namesOf(name, installed)}
# Completion of ${name} in zsh. Where it belongs: ${name} completion --help

_${name}() {
  local line files
  local -i width i
  local -a lines found shown
  lines=(\${(f)"$(${installed} complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)"})
  if [[ $lines == :files ]]; then
    compset -P '--[^=]##='
    _files
    return
  fi
  found=(\${lines%%$'\\t'*})
  for line in $found; do
    (( $#line > width )) && width=$#line
  done
  for line in $lines; do
    shown+=("\${(r:width:)line%%$'\\t'*}  \${line#*$'\\t'}")
  done
  (( $#found )) && compadd -V ${name} -l -d shown -a found
}

# As a function of fpath it is called at once; as a script it is loaded.
if [[ $funcstack[1] == _${name} ]]; then
  _${name} "$@"
else
  compdef _${name} ${namesOf(name, installed)}
fi
`;
}

function fish(name: string, installed: string): string {
  return `# Completion of ${name} in fish. Where it belongs: ${name} completion --help

function __${name}_offers
    set -l words (commandline -opc)
    set -e words[1]
    set -l typed (commandline -ct)
    set -g __${name}_offered (${installed} complete -- $words "$typed" 2>/dev/null </dev/null)
    test "$__${name}_offered" != :files
end

complete -c ${namesOf(name, installed).replace(" ", " -c ")} -k -f -n __${name}_offers -a '$__${name}_offered'
`;
}
