import { memoryMetrics } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { CountedBy } from "./counted-by.ts"

function counted() {
  const metrics = memoryMetrics()
  const counts = new CountedBy(metrics.gauge({ name: "claims", help: "Claims" }))
  const lines = () => metrics.text().trim().split("\n").slice(2)
  return { counts, lines }
}

test("labels that no object has any more stayed for ever", () => {
  const { counts, lines } = counted()
  counts.tell("one/a", { namespace: "one" })
  counts.tell("one/b", { namespace: "one" })
  counts.tell("two/a", { namespace: "two" })
  expect(lines()).toEqual(['claims{namespace="one"} 2', 'claims{namespace="two"} 1'])
  counts.tell("two/a", undefined)
  counts.tell("one/b", undefined)
  expect(lines()).toEqual(['claims{namespace="one"} 1'])
  counts.tell("one/a", { namespace: "one" })
  expect(lines()).toEqual(['claims{namespace="one"} 1'])
  counts.restart()
  expect(lines()).toEqual([])
  counts.tell("two/a", { namespace: "two" })
  expect(lines()).toEqual(['claims{namespace="two"} 1'])
})

test("without labels none is told as 0", () => {
  const { counts, lines } = counted()
  counts.tell("one/a", {})
  counts.tell("one/a", undefined)
  expect(lines()).toEqual(["claims 0"])
})
