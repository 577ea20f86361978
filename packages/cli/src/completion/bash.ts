import type { Known } from "./command-spec.ts"

/** Returns a script that completes commands, flags and values in bash. */
export function bashScript(commands: readonly Known[]): string {
  const names = commands.map(({ name }) => name).join(" ")
  const inner = commands.flatMap(({ name, commands: below }) => below.map((command) => ({ path: `${name} ${command.name}`, command })))
  const values = [...commands.map((command) => ({ path: command.name, command })), ...inner].flatMap(({ path, command }) =>
    valueCases(path, command),
  )
  return [
    "_pilothouse() {",
    '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" words',
    '  case "${COMP_WORDS[1]}" in',
    ...commands.map((command) => `    ${command.name}) words="${flagsAfter(command)}"${choicesAt(command, 2)} ;;`),
    `    *) words="${names}" ;;`,
    "  esac",
    // The word after a command is still being written when it is the current one.
    '  [ "$COMP_CWORD" -gt 2 ] && case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in',
    ...inner.map(({ path, command }) => `    "${path}") words="${flagsAfter(command)}"${choicesAt(command, 3)} ;;`),
    "  esac",
    `  [ "$COMP_CWORD" -eq 1 ] && words="${names}"`,
    // A flag may stand right behind its command, or behind the command of that.
    '  case "${COMP_WORDS[1]} $previous" in',
    ...values.filter(({ depth }) => depth === 1).map(({ line }) => line),
    "  esac",
    '  case "${COMP_WORDS[1]} ${COMP_WORDS[2]} $previous" in',
    ...values.filter(({ depth }) => depth === 2).map(({ line }) => line),
    "  esac",
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    "}",
    "complete -o default -F _pilothouse pilothouse",
    "",
  ].join("\n")
}

/** Its commands first. */
function flagsAfter({ flags, commands }: Known): string {
  return [...commands.map(({ name }) => name), ...flags.map(({ flag }) => flag)].join(" ")
}

/** Before its flags, and only where the first argument stands: names of objects follow a kind, and those are not known here. */
function choicesAt({ choices }: Known, place: number): string {
  return choices.length === 0 ? "" : `; [ "$COMP_CWORD" -eq ${place} ] && words="${choices.join(" ")} $words"`
}

function valueCases(path: string, { flags }: Known): readonly { readonly depth: number; readonly line: string }[] {
  const depth = path.split(" ").length
  return flags
    .filter(({ values }) => values.length > 0)
    .map(({ flag, values }) => ({ depth, line: `    "${path} ${flag}") words="${values.join(" ")}" ;;` }))
}
