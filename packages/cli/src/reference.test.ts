import { readFileSync } from "node:fs"
import { controllersReference } from "@pilothouse/controllers"
import { expect, test } from "vitest"
import { ignoredFlags } from "./apiserver/ignored-flags.ts"
import { connectionOptions } from "./client/connection.ts"
import { pilothouseProgram } from "./program.ts"
import { controllerFlags } from "./run/flags/flags.ts"

test("docs/reference/cli.md has every command and flag of the program, and no other", async () => {
  const documented = [
    ...readFileSync(new URL("../../../docs/reference/cli.md", import.meta.url), "utf8").matchAll(/^\| `([^`]+)` \| ([^|]*) \|/gm),
  ].map(([, flag, text]) => `${flag}: ${text?.trim()}`)
  const shared = connectionOptions().map(({ flags, description }) => `${flags}: ${description}`)
  const own = (await pilothouseProgram()).commands.flatMap((command) =>
    command.options
      .filter(
        ({ hidden, flags, description, long }) =>
          !hidden && !shared.includes(`${flags}: ${description}`) && !isOfController(command.name(), long),
      )
      .map((option) => `${command.name()} ${option.flags}: ${option.description}`),
  )
  const real = [...own, ...shared]
  expect(documented).toEqual(real)
})

/** Those of controllers have a page of their own. */
function isOfController(command: string, long: string | null | undefined): boolean {
  return command === "run" && (long ?? "").slice(2) in controllerFlags()
}

test("docs/reference/controllers.md is what the table of controllers says; npm run reference writes it", () => {
  expect(readFileSync(new URL("../../../docs/reference/controllers.md", import.meta.url), "utf8")).toBe(controllersReference())
})

test("every flag that is taken and changes nothing is named there, and no other", () => {
  const page = readFileSync(new URL("../../../docs/reference/cli.md", import.meta.url), "utf8")
  const [line = ""] = page.split("\n").filter((text) => text.startsWith("Taken and without effect: "))
  expect([...line.matchAll(/`--([^`]+)`/g)].map(([, flag]) => flag)).toEqual(ignoredFlags)
})
