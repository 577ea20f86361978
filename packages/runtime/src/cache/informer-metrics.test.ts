import { recordingLog, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { InformerMetrics } from "./informer-metrics.ts"

const rows: readonly [string, number, number, boolean][] = [
  ["many changes that take long are said to be slow", 11, 101, true],
  ["many that are quick are not", 1000, 100, false],
  ["a few that take long are not: there is no queue behind them", 10, 5000, false],
]

test.each(rows)("%s", async (_name, changes, took, said) => {
  const clock = new VirtualClock()
  const { log, lines } = recordingLog()
  const metrics = new InformerMetrics({ name: "pods", clock, log })
  await clock.advance(took)
  metrics.batchProcessed(0, changes, "7")
  expect(lines.map(({ message }) => message)).toEqual(said ? ["the handlers of pods are slow"] : [])
})
