import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { pilothouseProgram } from "./program.ts"

test("docs/reference/cli.md has every command and flag of the program, and no other", () => {
  const documented = [
    ...readFileSync(new URL("../../../docs/reference/cli.md", import.meta.url), "utf8").matchAll(/^\| `([^`]+)` \| ([^|]*) \|/gm),
  ].map(([, flag, text]) => `${flag}: ${text?.trim()}`)
  const commands = pilothouseProgram().commands
  const real = commands.flatMap((command) => command.options.map((option) => `${command.name()} ${option.flags}: ${option.description}`))
  expect(documented).toEqual(real)
})
