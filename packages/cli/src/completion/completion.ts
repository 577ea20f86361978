import type { Command, Option } from "commander"
import type { WordParser } from "../flags/flag-values.ts"
import { bashScript } from "./bash.ts"
import type { Known, KnownFlag } from "./command-spec.ts"
import { fishScript } from "./fish.ts"

export type Shell = "bash" | "zsh" | "fish"

const scripts: Readonly<Record<Shell, (commands: readonly Known[]) => string>> = {
  bash: bashScript,
  // zsh reads bash's completions.
  zsh: (commands) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`,
  fish: fishScript,
}

/** A script for a shell, made from the program itself: it knows every command, their commands, the flags of each, and the values of some. */
export function completionScript(shell: Shell, program: Command, kinds: readonly string[]): string {
  return scripts[shell](program.commands.map((command) => known(command, kinds)))
}

function known(command: Command, kinds: readonly string[]): Known {
  return {
    name: command.name(),
    about: command.description().replaceAll("'", "’"),
    // Flags that are taken and change nothing are not completed.
    flags: command.options.filter(({ hidden }) => !hidden).flatMap(flagsOf),
    choices: choicesOf(command, kinds),
    commands: command.commands.map((one) => known(one, kinds)),
  }
}

function flagsOf({ short, long, parseArg }: Option): readonly KnownFlag[] {
  const values = parseArg !== undefined && "words" in parseArg ? (parseArg as WordParser).words : []
  return [short, long].filter((flag) => flag !== undefined).map((flag) => ({ flag, values }))
}

/** `<nodes|pods>` says its words itself; what takes a resource takes any kind. */
function choicesOf({ registeredArguments: [first] }: Command, kinds: readonly string[]): readonly string[] {
  if (first === undefined) return []
  const name = first.name()
  if (first.argChoices !== undefined) return first.argChoices
  if (name.includes("|")) return name.split("|")
  return name === "resource" || name === "object" ? kinds : []
}
