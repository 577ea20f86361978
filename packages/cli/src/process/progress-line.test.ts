import { expect, test } from "vitest"
import { progressLine } from "./progress-line.ts"

/** What stands on the screen after each step and at the end. */
function shown(isTTY: boolean, silent?: boolean): readonly string[] {
  let screen = ""
  const screens: string[] = []
  const write = (text: string) => {
    screen = `${screen}${text}`.split("\r\u001b[2K").at(-1) ?? ""
  }
  {
    using line = progressLine({ isTTY, write }, { silent })
    for (const step of ["the API server", "xDS"]) {
      line.step(step)
      screens.push(screen)
    }
  }
  return [...screens, screen]
}

test("a terminal shows one step at a time, and in the end none", () => {
  expect(shown(true)).toEqual(["starting the API server …", "starting xDS …", ""])
})

test.each<[name: string, isTTY: boolean, silent: boolean]>([
  ["a file or pipe", false, false],
  ["a terminal whose reader is a program", true, true],
])("%s shows nothing of it", (_name, isTTY, silent) => {
  expect(shown(isTTY, silent)).toEqual(["", "", ""])
})

test("nothing is cleared that was not written", () => {
  const written: string[] = []
  progressLine({ isTTY: true, write: (text) => written.push(text) }).end()
  expect(written).toEqual([])
})
