import { memoryMetrics } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { ObjectCountGauge } from "./object-count-gauge.ts"

function counted() {
  const metrics = memoryMetrics()
  const counts = new ObjectCountGauge(metrics.gauge({ name: "claims", help: "Claims" }))
  const lines = () => metrics.text().trim().split("\n").slice(2)
  return { counts, lines }
}

test("labels that no object has any more stayed for ever", () => {
  const { counts, lines } = counted()
  counts.set("one/a", { namespace: "one" })
  counts.set("one/b", { namespace: "one" })
  counts.set("two/a", { namespace: "two" })
  expect(lines()).toEqual(['claims{namespace="one"} 2', 'claims{namespace="two"} 1'])
  counts.set("two/a", undefined)
  counts.set("one/b", undefined)
  expect(lines()).toEqual(['claims{namespace="one"} 1'])
  counts.set("one/a", { namespace: "one" })
  expect(lines()).toEqual(['claims{namespace="one"} 1'])
  counts.restart()
  expect(lines()).toEqual([])
  counts.set("two/a", { namespace: "two" })
  expect(lines()).toEqual(['claims{namespace="two"} 1'])
})

test("without labels none is reported as 0", () => {
  const { counts, lines } = counted()
  counts.set("one/a", {})
  counts.set("one/a", undefined)
  expect(lines()).toEqual(["claims 0"])
})
