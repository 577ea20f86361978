import { readFileSync } from "node:fs"
import { join } from "node:path"
import { memoryMetrics } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { countersOf } from "./counters.ts"

test("docs/reference/load-balancers.md has exactly the metrics of the balancer, with their type and meaning", () => {
  const document = readFileSync(join(import.meta.dirname, "../../../../docs/reference/load-balancers.md"), "utf8")
  const rows = [...document.matchAll(/^\| `(\w+)` \| (\w+) \| [\w, ]* \| (.*) \|$/gm)].map(
    ([, name, type, meaning]) => `${name} ${type} ${meaning}`,
  )
  const metrics = memoryMetrics()
  for (const metric of Object.values(countersOf(metrics))) {
    if ("add" in metric) metric.add(1)
    else metric.set(1)
  }
  const told = [...metrics.text().matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)].map(
    ([, name, meaning, type]) => `${name} ${type} ${meaning}`,
  )
  expect(rows.sort()).toEqual(told.sort())
})
