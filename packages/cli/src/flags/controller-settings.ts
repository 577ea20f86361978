import { controllers, createControllers } from "@pilothouse/controllers"
import type { Flags, GivenSettings } from "@pilothouse/runtime"
import { PilothouseError } from "@pilothouse/seams"
import { type Command, Option } from "commander"

/** Those of the controllers of the controller manager; a name that two of them share means the same for both. */
function flagsOfControllers(): Flags {
  return Object.fromEntries(controllers.flatMap(({ flags }) => Object.entries(flags)))
}

/** Adds the flags of the controllers to a command that runs them beside other parts. They are not in its help, which would be three times as long. */
export function addControllerFlags(command: Command): void {
  for (const [name, { about, kind }] of Object.entries(flagsOfControllers())) {
    const value = kind === "true|false" ? "[boolean]" : `<${kind}>`
    command.addOption(new Option(`--${name} ${value}`, about).hideHelp())
  }
}

/** Returns the flags of controllers that were given, by name; throws where a value is not one, or two exclude each other. */
export function controllerSettingsOf(command: Command): GivenSettings {
  const known = flagsOfControllers()
  const given = command.options.filter(({ long = "" }) => Object.hasOwn(known, long.slice(2)))
  const said = given.filter((option) => command.getOptionValueSource(option.attributeName()) === "cli")
  const settings = Object.fromEntries(said.map((option) => [option.long!.slice(2), command.getOptionValue(option.attributeName())]))
  if (said.length > 0) checkSettings(settings)
  return settings
}

function checkSettings(settings: GivenSettings): void {
  try {
    createControllers({ settings })
  } catch (error) {
    if (!(error instanceof PilothouseError) || error.code !== "INVALID") throw error
    throw new PilothouseError("USAGE", error.message, { cause: error })
  }
}
