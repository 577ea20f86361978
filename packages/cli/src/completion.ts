import type { Command } from "commander"

/** A script for a shell, made from the program itself: it knows every command and flag there is. */
export function completionScript(shell: "bash" | "zsh" | "fish", program: Command): string {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    about: command.description().replaceAll("'", "’"),
    flags: command.options.flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined)),
  }))
  return scripts[shell](commands)
}

interface Known {
  readonly name: string
  readonly about: string
  readonly flags: readonly string[]
}

const scripts: Readonly<Record<"bash" | "zsh" | "fish", (commands: readonly Known[]) => string>> = { bash, zsh, fish }

function bash(commands: readonly Known[]): string {
  const cases = commands.map(({ name, flags }) => `    ${name}) words="${flags.join(" ")}" ;;`)
  return [
    "_pilothouse() {",
    '  local current="${COMP_WORDS[COMP_CWORD]}" words',
    '  case "${COMP_WORDS[1]}" in',
    ...cases,
    `    *) words="${commands.map(({ name }) => name).join(" ")}" ;;`,
    "  esac",
    `  [ "$COMP_CWORD" -eq 1 ] && words="${commands.map(({ name }) => name).join(" ")}"`,
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    "}",
    "complete -o default -F _pilothouse pilothouse",
    "",
  ].join("\n")
}

/** zsh reads bash's completions. */
function zsh(commands: readonly Known[]): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`
}

function fish(commands: readonly Known[]): string {
  const lines = commands.flatMap(({ name, about, flags }) => [
    `complete -c pilothouse -n __fish_use_subcommand -a ${name} -d '${about}'`,
    ...flags.map((flag) => {
      const kind = flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`
      return `complete -c pilothouse -n '__fish_seen_subcommand_from ${name}' ${kind}`
    }),
  ])
  return `${lines.join("\n")}\n`
}
