import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { controllers } from "./controllers.ts"
import type { ControllerEntry } from "./loop.ts"

const here = import.meta.dirname
const folders = readdirSync(here).filter((folder) => existsSync(join(here, folder, "entry.ts")))

/** What a folder's entry.ts adds to the table. */
async function entryOf(folder: string): Promise<ControllerEntry> {
  const [entry, ...more] = Object.values((await import(`./${folder}/entry.ts`)) as Record<string, ControllerEntry>)
  expect(more).toEqual([])
  return entry!
}

/** The tests of a folder that sweep over crash points, as text. */
function sweepsOf(folder: string): readonly string[] {
  const tests = readdirSync(join(here, folder)).filter((file) => file.endsWith(".test.ts"))
  return tests.map((file) => readFileSync(join(here, folder, file), "utf8")).filter((text) => /\bcrashPoints\(/.test(text))
}

/** Started by name as --controllers takes it, or made by hand. */
function isNamedIn(text: string, { name, aliases }: ControllerEntry, folder: string): boolean {
  const short = name.replace(/-controller$/, "")
  const byHand = folder.replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase())
  const words = [name, short, ...aliases].map((word) => `"${word}"`)
  return [...words, `${byHand}Controller(`].some((word) => text.toLowerCase().includes(word.toLowerCase()))
}

test("every loop of the table has a folder of its own", async () => {
  const found = await Promise.all(folders.map(entryOf))
  expect(found.map(({ name }) => name).sort()).toEqual(controllers.map(({ name }) => name).sort())
})

/** Whether the scenarios really run them is compared with the table by `npm run soak -- crash-points`. */
describe("every loop of the table is in a scenario of crash points", () => {
  test.each(folders)("%s", async (folder) => {
    const entry = await entryOf(folder)
    const sweeps = sweepsOf(folder)
    expect(sweeps).not.toEqual([])
    expect(sweeps.filter((text) => isNamedIn(text, entry, folder))).not.toEqual([])
  })
})
