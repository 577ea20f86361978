import { flagName } from "@pilothouse/runtime"
import type { Command, Option } from "commander"
import { booleanValue } from "./flag-values.ts"

/**
 * The words of a command line as the parser takes them. Written as Go's programs take them, too: names with underscores, as upstream's own
 * reference has some, and --flag=true or --flag=false of a flag that takes no value. What is no flag of the command stays as it was said.
 */
export function flagWords(program: Command, args: readonly string[]): readonly string[] {
  const options = optionsFor(program, args)
  const end = args.indexOf("--")
  const flags = end === -1 ? args : args.slice(0, end)
  const words = flags.reduce<readonly string[]>((before, word) => withWord(before, word, options), [])
  return [...words, ...args.slice(flags.length)]
}

/** Of the command that is called, and of those that it belongs to. */
function optionsFor(program: Command, args: readonly string[]): readonly Option[] {
  let command = program
  const found: Option[] = []
  for (const word of args) {
    const next = command.commands.find((one) => one.name() === word)
    if (next === undefined) continue
    command = next
    found.push(...next.options)
  }
  return found
}

function withWord(before: readonly string[], word: string, options: readonly Option[]): readonly string[] {
  const [name = ""] = word.split("=", 1)
  const option = options.find(({ long, short }) => long === flagName(name) || short === name)
  if (option === undefined) return [...before, word]
  const flag = option.long === flagName(name) ? flagName(name) : name
  if (!isSwitch(option) || word === name) return [...before, `${flag}${word.slice(name.length)}`]
  // The last one counts: what was said of it before is forgotten.
  const others = before.filter((other) => other !== option.long && other !== option.short)
  return booleanValue(flag)(word.slice(name.length + 1)) ? [...others, flag] : others
}

function isSwitch({ required, optional }: Option): boolean {
  return !required && !optional
}
