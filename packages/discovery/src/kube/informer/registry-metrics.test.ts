import { readFileSync } from "node:fs"
import { join } from "node:path"
import { memoryMetrics } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { RegistryMetrics } from "./registry-metrics.ts"

test("docs/reference/metrics.md has exactly the metrics of a registry, with their type, labels and meaning", () => {
  const metrics = memoryMetrics()
  const registry = new RegistryMetrics(metrics, "one")
  registry.counterOf("Services")("add")
  registry.pendingPods(1)
  registry.endpointWithoutPod()
  registry.proxyWithoutService()
  registry.proxyNotReady()
  registry.stuck(1)
  registry.audited()
  registry.drift("Pods", 1)
  const told = metrics.text()
  const families = [...told.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)\n\S+\{(.*)\} /gm)].map(([, name, meaning, type, pairs = ""]) => {
    const labels = [...pairs.matchAll(/(\w+)="/g)].map(([, label]) => label).join(", ")
    return `| \`${name}\` | ${type} | ${labels} | ${meaning} |`
  })
  const text = readFileSync(join(import.meta.dirname, "../../../../../docs/reference/metrics.md"), "utf8")
  const [, section = ""] = text.split("\n### Registry\n")
  const [table = ""] = section.split("\n### ")
  expect(table.split("\n").filter((line) => line.startsWith("| `"))).toEqual(families)
})
