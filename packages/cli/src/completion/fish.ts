import type { Known, KnownFlag } from "./command-spec.ts"

export function fishScript(commands: readonly Known[]): string {
  const lines = commands.flatMap((command) => [
    `complete -c pilothouse -n __fish_use_subcommand -a ${command.name} -d '${command.about}'`,
    ...after(command, `__fish_seen_subcommand_from ${command.name}`, 2),
  ])
  return `${lines.join("\n")}\n`
}

/** Its commands, choices and flags, where a condition holds. Once one of its commands is there, only what belongs to that one. */
function after({ flags, choices, commands }: Known, where: string, words: number): readonly string[] {
  const names = commands.map(({ name }) => name).join(" ")
  const here = commands.length === 0 ? where : `${where}; and not __fish_seen_subcommand_from ${names}`
  return [
    // Only where the first argument stands: names of objects follow a kind, and those are not known here.
    ...(choices.length === 0
      ? []
      : [`complete -c pilothouse -n '${here}; and test (count (commandline -opc)) -eq ${words}' -a '${choices.join(" ")}'`]),
    ...commands.map(({ name, about }) => `complete -c pilothouse -n '${here}' -a ${name} -d '${about}'`),
    ...flags.map((flag) => `complete -c pilothouse -n '${here}' ${flagWords(flag)}`),
    ...commands.flatMap((command) => after(command, `${where}; and __fish_seen_subcommand_from ${command.name}`, words + 1)),
  ]
}

function flagWords({ flag, values }: KnownFlag): string {
  const name = flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`
  return values.length === 0 ? name : `${name} -x -a '${values.join(" ")}'`
}
