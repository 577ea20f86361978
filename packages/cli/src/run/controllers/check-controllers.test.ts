import { cloudControllers, isCloudController, isServiceControllerSelected } from "@pilothouse/cloud"
import { selectControllers } from "@pilothouse/controllers"
import { expect, test } from "vitest"
import { checkControllers, everyController } from "./check-controllers.ts"

const all = selectControllers(["*"]).length

/** As `up` and `run` take them to the two tables. */
function taken(words: readonly string[]) {
  checkControllers(words)
  return {
    controllers: selectControllers(words.filter((word) => !isCloudController(word))).length,
    service: isServiceControllerSelected(words),
  }
}

test.each<[words: readonly string[], controllers: number, service: boolean]>([
  [["*"], all, true],
  [["*", "-service"], all, false],
  [["*", "-service-lb"], all, false],
  [["*", "-service-lb-controller"], all, false],
  [["service-lb", "deployment"], 1, true],
  [["-service", "service-lb"], 0, false],
  [["*", "-node-route"], all, true],
  [["*", "-deployment"], all - 1, true],
  [["deployment-controller"], 1, false],
])("%j is taken by the check and by both tables", (words, controllers, service) => {
  expect(taken(words)).toEqual({ controllers, service })
})

test("every name that the check takes is one of a table, with and without -controller and by its aliases", () => {
  for (const { name, aliases } of everyController)
    for (const word of [name, name.replace(/-controller$/, ""), ...aliases]) {
      expect(() => taken(["*", `-${word}`]), word).not.toThrow()
      expect(isCloudController(word), word).toBe(cloudControllers.some((entry) => entry.name === name))
    }
})

test.each<[words: readonly string[], message: string]>([
  [["-service"], 'found only "-service", with which none would; "*,-service" is all others'],
  [["-job", "-cronjob"], 'found only "-job,-cronjob", with which none would; "*,-job,-cronjob" is all others'],
  [["*", "-deploymnt"], 'expected the name of a controller, found "deploymnt"; did you mean "deployment"?'],
  [["qqqqqqqqqqqq"], "there are "],
  [["-selinux-warning-controller"], 'with which none would; "*,-selinux-warning-controller" is all others'],
])("%j is refused as wrong usage", (words, message) => {
  expect(() => checkControllers(words)).toThrow(expect.objectContaining({ code: "USAGE", message: expect.stringContaining(message) }))
})
