import type { Command } from "commander"

/** Where the program keeps them: a command of its own that is started, and no argument of ours. */
const key = "commandWords"

/** Takes what stands behind "--" from the arguments of `up`: a command and its own flags. Returns the arguments before it. */
export function takeCommandWords(program: Command, args: readonly string[]): readonly string[] {
  const end = args.indexOf("--")
  if (args[0] !== "up" || end === -1) return args
  program.setOptionValue(key, args.slice(end + 1))
  return args.slice(0, end)
}

/** Returns what stood behind "--"; undefined where there was none. */
export function commandWords(command: Command): readonly string[] | undefined {
  return command.parent?.getOptionValue(key) as readonly string[] | undefined
}
