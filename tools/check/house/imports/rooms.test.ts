import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { mayImport } from "./rooms.ts"

const document = readFileSync(fileURLToPath(new URL("../../../../ARCHITECTURE.md", import.meta.url)), "utf8")
const rows = [...document.matchAll(/^\| \[`(?<room>[a-z]+)`\].*\| (?<words>[^|]+) \|$/gm)].map(({ groups }) => ({
  room: groups!.room!,
  words: groups!.words!,
}))

test("ARCHITECTURE.md has a table of rooms", () => {
  expect(rows.map(({ room }) => room)).toContain("seams")
})

test.each(rows)("$room may import what ARCHITECTURE.md says: $words", ({ room, words }) => {
  const built = rows.map((row) => row.room)
  const above = built.slice(0, built.indexOf(room))
  const said = words === "nothing" ? [] : words.startsWith("everything") ? above : words.split(", ")
  // The checker's table also has rooms that are still to come; the document names them below its own.
  const held = (mayImport[room] ?? []).filter((other) => built.includes(other))
  expect(held.toSorted()).toEqual(said.toSorted())
})
