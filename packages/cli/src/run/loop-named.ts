import { cloudControllers } from "@pilothouse/cloud"
import { controllers } from "@pilothouse/controllers"

/** Of the controller manager and of the cloud: one flag names them all. */
export const everyLoop = [...controllers, ...cloudControllers]

/** The loop that a word of --controllers is about, be it wanted or not: by its name, with or without "-controller", or by an alias. */
export function loopNamed(word: string): (typeof everyLoop)[number] | undefined {
  const name = word.replace(/^-/, "")
  return everyLoop.find((entry) => entry.name === name || entry.aliases.includes(name) || entry.name === `${name}-controller`)
}
