import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { options } from "./configuration/configuration.ts"
import { conditionTypes } from "./handlers/fault-conditions.ts"

const page = readFileSync(join(import.meta.dirname, "../../../docs/reference/openstack.md"), "utf8")

/** The names in backquotes that stand first in the rows of a chapter. */
function firstNames(chapter: string): readonly string[] {
  const text = page.split(`## ${chapter}\n`)[1]?.split("\n## ")[0] ?? ""
  return [...text.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name))
}

test("docs/reference/openstack.md has every option of kuryr.conf that is read, with its default", () => {
  expect(firstNames("kuryr.conf").toSorted()).toEqual(options.map(({ section, name }) => `[${section}] ${name}`).toSorted())
  for (const { section, name, fallback } of options) if (fallback) expect(page).toContain(`| \`[${section}] ${name}\` | \`${fallback}\` |`)
})

test("docs/reference/openstack.md has every reason of an event", () => {
  const sources = globSync("**/*.ts", { cwd: import.meta.dirname }).filter((path) => !/\.(test|contract)\.ts$/.test(path))
  const reasons = sources.flatMap((path) => [...readFileSync(join(import.meta.dirname, path), "utf8").matchAll(/"(Kuryr[A-Z][A-Za-z]+)"/g)])
  expect(firstNames("Events").toSorted()).toEqual([...new Set(reasons.map(([, reason]) => reason))].toSorted())
})

test("docs/reference/openstack.md has every condition", () => {
  expect(firstNames("Conditions").toSorted()).toEqual(Object.values(conditionTypes).toSorted())
})

test("docs/reference/openstack.md has every annotation of a Service that the Octavia provider reads", () => {
  const source = readFileSync(join(import.meta.dirname, "cloud-provider/service-options.ts"), "utf8")
  const read = [...source.matchAll(/read\.(?:text|flag|number)\("([a-z-]+)"|pick\("\w+", "([a-z-]+)"\)/g)].map(
    ([, one, other]) => one ?? other,
  )
  expect(firstNames("The Octavia provider").toSorted()).toEqual([...new Set(read)].toSorted())
})

test("docs/reference/openstack.md has the metrics, with their meaning", () => {
  const sources = globSync("**/*.ts", { cwd: import.meta.dirname }).map((path) => readFileSync(join(import.meta.dirname, path), "utf8"))
  const documented = sources.flatMap((text) => [...text.matchAll(/name: "(kuryr_\w+)",\s*help: "([^"]+)"/g)])
  expect(documented.length).toBe(3)
  expect(firstNames("Metrics").toSorted()).toEqual(documented.map(([, name]) => name).toSorted())
  for (const [, , help] of documented) expect(page).toContain(`| ${help} |`)
})
