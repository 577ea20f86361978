import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { expectedFailures } from "./expected-failures.ts"

test("docs/parity.md lists the functions that do not pass yet, with what each lacks", () => {
  const page = readFileSync(new URL("../../docs/parity.md", import.meta.url), "utf8")
  const [, section = ""] = /## Upstream's kubectl suite\n([\s\S]*?)(?=\n## |$)/.exec(page) ?? []
  const rows = [...section.matchAll(/^\| `(run_\w+)` \| ([^|]+) \|$/gm)].map(([, name, lacks]) => [name, lacks?.trim()])
  expect(Object.fromEntries(rows)).toEqual(expectedFailures)
  expect(rows.length).toBeGreaterThan(0)
})
