import type { Command } from "commander"
import { expect, test } from "vitest"
import { pilothouseProgram } from "../program.ts"
import { commandGroups, examples } from "./help.ts"

const program = await pilothouseProgram()
const all = [...withParts(program.commands, "")]

function* withParts(commands: readonly Command[], before: string): Generator<readonly [words: string, command: Command]> {
  for (const command of commands) {
    const words = `${before}${command.name()}`
    yield [words, command]
    yield* withParts(command.commands, `${words} `)
  }
}

function help(command: Command, { colors }: { readonly colors: boolean }): string {
  let text = ""
  command.configureOutput({ writeOut: (part) => void (text += part), getOutHasColors: () => colors })
  command.outputHelp()
  return text
}

test("every command is in one group, and groups name no other", () => {
  expect(Object.values(commandGroups).flat().toSorted()).toEqual(program.commands.map((command) => command.name()).toSorted())
})

test("help lists commands under their groups", () => {
  const text = help(program, { colors: false })
  const headings = [...text.matchAll(/^(\S.*:)$/gm)].map(([, heading]) => heading)
  expect(headings).toEqual(["Options:", ...Object.keys(commandGroups)])
})

test("every command has examples, and there are none of others", () => {
  expect(Object.keys(examples).toSorted()).toEqual(all.map(([words]) => words).toSorted())
})

test.each(all)("the flags in the examples of %s are flags of it", (words, command) => {
  const known = new Set(command.options.flatMap(({ long, short }) => [long, short]))
  const own = (examples[words] ?? []).map(({ line }) => / -- /.exec(line)?.index ?? line.length)
  const flags = (examples[words] ?? []).flatMap(({ line }, index) => {
    const from = line.indexOf(`pilothouse ${words}`)
    expect(from).toBeGreaterThanOrEqual(0)
    return line.slice(from, own[index]).match(/(?<= )--?[a-z-]+/gi) ?? []
  })
  expect(flags.filter((flag) => !known.has(flag))).toEqual([])
})

test("examples stand under the flags, without those of wrong use", () => {
  const get = all.find(([words]) => words === "get")?.[1]
  expect(help(get!, { colors: false })).toMatch(
    /--watch [\s\S]*\nExamples:\n {2}pilothouse get pods -w {8,}# list pods, then what changes\n/,
  )
})

test("headings and commands have colours on a terminal, and none elsewhere", () => {
  expect(help(program, { colors: true })).toContain("\x1b[1mObjects:\x1b[22m")
  expect(help(program, { colors: false })).not.toContain("\x1b[")
})
