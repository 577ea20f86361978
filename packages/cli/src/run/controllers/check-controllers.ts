import { cloudControllers } from "@pilothouse/cloud"
import { controllers } from "@pilothouse/controllers"
import { findControllerDescriptor } from "@pilothouse/runtime"
import { closest, PilothouseError } from "@pilothouse/seams"

/** Of the controller manager and of the cloud: --controllers names them all. */
export const everyController = [...controllers, ...cloudControllers]

/** Checks --controllers: names of controllers and their aliases, "-x" and "*". */
export function checkControllers(words: readonly string[]): void {
  if (words.length === 0) throw new PilothouseError("USAGE", '--controllers: expected at least one controller or "*", found nothing')
  const wrong = words.find((word) => word !== "*" && findControllerDescriptor(everyController, word) === undefined)
  if (wrong !== undefined) throw unknownController(wrong.replace(/^-/, ""))
  const isOut = (word: string) => word.startsWith("-")
  if (!words.every(isOut)) return
  const [said, out] = [words, words.filter(isOut)].map((some) => some.join(","))
  const hint = out === "" ? '"*" is all that are here' : `"*,${out}" is all others`
  throw new PilothouseError(
    "USAGE",
    `--controllers: expected "*" or a controller that is to run, found only "${said}", with which none would; ${hint}`,
  )
}

function unknownController(name: string): PilothouseError {
  const known = everyController.flatMap((entry) => [entry.name, ...entry.aliases])
  const near = closest(name, known)
  const hint = near === undefined ? `there are ${everyController.map((entry) => entry.name).join(", ")}` : `did you mean "${near}"?`
  return new PilothouseError("USAGE", `--controllers: expected the name of a controller, found "${name}"; ${hint}`)
}
