import { readFileSync } from "node:fs"
import { join } from "node:path"
import { configMaps } from "@pilothouse/api/core/v1"
import { memoryMetrics } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { controller } from "../controller/controller.ts"
import { plan } from "../controller/plan/plan-builder.ts"
import { testManager } from "./testing/manager.ts"

interface Documented {
  readonly type: string
  readonly labels: string
  readonly meaning: string
}

/** The metrics of a manager that leads, works and fails. */
async function told(): Promise<ReadonlyMap<string, Documented>> {
  const metrics = memoryMetrics()
  const failing = controller("failing", {
    for: configMaps,
    observe: (key, read) => read.get(configMaps, key),
    decide: () => plan().update({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "none", namespace: "default" } }, "to fail"),
  })
  await using running = await testManager([failing], { metrics, leaderElection: { lease: "kube-system/pilothouse", identity: "one" } })
  await running.server.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" } })
  await running.server.advance("10s")
  const text = metrics.text()
  const families = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)]
  return new Map(families.map(([, name = "", meaning = "", type = ""]) => [name, { type, labels: labelsOf(text, name), meaning }]))
}

function labelsOf(text: string, name: string): string {
  const [, pairs = ""] = new RegExp(`^${name}(?:_bucket)?\\{(.*)\\} `, "m").exec(text) ?? []
  return [...pairs.matchAll(/(\w+)="/g)]
    .map(([, label]) => label)
    .filter((label) => label !== "le")
    .join(", ")
}

function documented(): ReadonlyMap<string, Documented> {
  const text = readFileSync(join(import.meta.dirname, "../../../../docs/reference/metrics.md"), "utf8")
  // What discovery tells stands behind, and is compared by discovery.
  const [ofManager = ""] = text.split("\n## Discovery\n")
  const rows = [...ofManager.matchAll(/^\| `(\w+)` \| (\w+) \| ([\w, ]*) \| (.*) \|$/gm)]
  return new Map(rows.map(([, name = "", type = "", labels = "", meaning = ""]) => [name, { type, labels: labels.trim(), meaning }]))
}

test("docs/reference/metrics.md has exactly the metrics of a manager, with their type and meaning", async () => {
  const [found, expected] = [documented(), await told()]
  const shown = (all: ReadonlyMap<string, Documented>) =>
    [...all].map(([name, { type, meaning }]) => `| ${name} | ${type} | ${meaning} |`).sort()
  expect(shown(found)).toEqual(shown(expected))
})

test("and the labels of those that had something to tell", async () => {
  const found = documented()
  for (const [name, { labels }] of await told())
    if (labels !== "") expect({ name, labels: found.get(name)?.labels }).toEqual({ name, labels })
})
