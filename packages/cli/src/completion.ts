import type { Command } from "commander"

/** A script for a shell, made from the program itself: it knows every command, their commands, and the flags of each. */
export function completionScript(shell: "bash" | "zsh" | "fish", program: Command): string {
  return scripts[shell](program.commands.map(known))
}

interface Known {
  readonly name: string
  readonly about: string
  readonly flags: readonly string[]
  /** Words that the first argument is one of: "bash" of `completion`. */
  readonly choices: readonly string[]
  readonly commands: readonly Known[]
}

function known(command: Command): Known {
  return {
    name: command.name(),
    about: command.description().replaceAll("'", "’"),
    // Flags that are taken and change nothing are no help to anybody.
    flags: command.options.filter(({ hidden }) => !hidden).flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined)),
    choices: command.registeredArguments[0]?.argChoices ?? [],
    commands: command.commands.map(known),
  }
}

/** What may follow a command: its commands or choices first. */
function wordsAfter({ flags, choices, commands }: Known): string {
  return [...commands.map(({ name }) => name), ...choices, ...flags].join(" ")
}

const scripts: Readonly<Record<"bash" | "zsh" | "fish", (commands: readonly Known[]) => string>> = { bash, zsh, fish }

function bash(commands: readonly Known[]): string {
  const names = commands.map(({ name }) => name).join(" ")
  const cases = commands.map((command) => `    ${command.name}) words="${wordsAfter(command)}" ;;`)
  // The word after a command is still being written when it is the current one.
  const inner = commands.flatMap(({ name, commands: below }) =>
    below.map((command) => `    "${name} ${command.name}") words="${wordsAfter(command)}" ;;`),
  )
  return [
    "_pilothouse() {",
    '  local current="${COMP_WORDS[COMP_CWORD]}" words',
    '  case "${COMP_WORDS[1]}" in',
    ...cases,
    `    *) words="${names}" ;;`,
    "  esac",
    '  [ "$COMP_CWORD" -gt 2 ] && case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in',
    ...inner,
    "  esac",
    `  [ "$COMP_CWORD" -eq 1 ] && words="${names}"`,
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
  const lines = commands.flatMap((command) => [
    `complete -c pilothouse -n __fish_use_subcommand -a ${command.name} -d '${command.about}'`,
    ...fishAfter(command, `__fish_seen_subcommand_from ${command.name}`),
  ])
  return `${lines.join("\n")}\n`
}

/** Its commands, choices and flags, where a condition holds. Once one of its commands is there, only what belongs to that one. */
function fishAfter({ flags, choices, commands }: Known, where: string): readonly string[] {
  const names = commands.map(({ name }) => name).join(" ")
  const here = commands.length === 0 ? where : `${where}; and not __fish_seen_subcommand_from ${names}`
  return [
    ...choices.map((choice) => `complete -c pilothouse -n '${here}' -a ${choice}`),
    ...commands.map(({ name, about }) => `complete -c pilothouse -n '${here}' -a ${name} -d '${about}'`),
    ...flags.map((flag) => {
      const kind = flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`
      return `complete -c pilothouse -n '${here}' ${kind}`
    }),
    ...commands.flatMap((command) => fishAfter(command, `${where}; and __fish_seen_subcommand_from ${command.name}`)),
  ]
}
