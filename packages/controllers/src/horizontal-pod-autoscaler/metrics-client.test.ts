import { selectorOf } from "@pilothouse/api"
import type { MetricSpec } from "@pilothouse/api/autoscaling/v2"
import type { Reader } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { readMetrics } from "./metrics-client.ts"

const target = { type: "AverageValue", averageValue: "100m" }
const ofPods: MetricSpec = { type: "Resource", resource: { name: "cpu", target } }
const ofContainers: MetricSpec = { type: "ContainerResource", containerResource: { name: "cpu", container: "web", target } }

/** The thousandths that each pod uses, of an answer with these containers, as metrics-server has it on the wire. */
async function usedBy(spec: MetricSpec, containersOf: Readonly<Record<string, string>>): Promise<unknown> {
  const items = Object.entries(containersOf).map(([name, containers]) => {
    const common = { metadata: { name }, timestamp: "2026-01-05T09:00:00Z", window: "10s" }
    return { ...common, containers: JSON.parse(containers) }
  })
  const read = { ask: async () => ({ items }) } as unknown as Reader
  const [reading] = await readMetrics([spec], { read, namespace: "default", selector: selectorOf({}), version: { works: "v1beta2" } })
  return reading !== undefined && "pods" in reading ? [...reading.pods].map(([name, { value }]) => `${name} ${value}`) : reading
}

test.each([
  ["pods", ofPods, ["a 150"]],
  ["a container of pods", ofContainers, ["a 100"]],
])("%s: a pod whose containers are null is one of which nothing is known, and the others count", async (_what, spec, expected) => {
  const containers = '[{"name":"web","usage":{"cpu":"100m"}},{"name":"log","usage":{"cpu":"50m"}}]'
  expect(await usedBy(spec, { a: containers, b: "null", c: "[]" })).toEqual(expected)
})

test("the samples of a resource are made once, however many metrics are about it", async () => {
  const usage = { name: "web", usage: { cpu: "100m" } }
  const items = [{ metadata: { name: "a" }, timestamp: "2026-01-05T09:00:00Z", window: "10s", containers: [usage] }]
  const read = { ask: async () => ({ items }) } as unknown as Reader
  const question = { read, namespace: "default", selector: selectorOf({}), version: { works: "v1beta2" } } as const
  const readings = await readMetrics([ofPods, ofContainers, ofPods, ofContainers], question)
  const samples = readings.map((reading) => ("pods" in reading ? reading.pods : undefined))
  expect(samples[0]).toBeDefined()
  expect(samples[2]).toBe(samples[0])
  expect(samples[3]).toBe(samples[1])
  expect(samples[1]).not.toBe(samples[0])
})
