import type { Pod } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import type { PodProcesses, ProcessFacts } from "../container/process-facts.ts"
import { Life, nine, simulatedPod } from "../testing/pods.ts"
import { stopAll } from "./pod-rules.ts"

const place = { hostIP: "10.240.0.1", podIP: "127.116.1.1" }
const running: Pod = new Life(simulatedPod({ containers: [{}, {}] })).pod

/** What the processes of both containers ended with; undefined: no end is known. */
test.each<[string, number | undefined, number | undefined, string]>([
  ["both ended well when they were stopped", 0, 0, "Succeeded 0 0"],
  ["one of them did not", 0, 3, "Failed 0 3"],
  ["one had to be killed", 0, undefined, "Failed 0 137"],
])("a pod whose processes were stopped: %s", (_name, a, b, expected) => {
  const codes: Readonly<Record<string, number | undefined>> = { a, b }
  const run = (name: string): ProcessFacts => {
    const exitCode = codes[name]
    const facts = { startedAt: nine, started: true, ready: true, killAt: nine }
    return exitCode === undefined ? facts : { ...facts, ended: { at: nine + 1000, exitCode } }
  }
  const processes: PodProcesses = { isUnlisted: true, run }
  const { status } = stopAll({ pod: running, place, now: nine + 2000, processes }, { exitCode: 137, at: nine + 2000 })
  const ends = status.containerStatuses?.map(({ state }) => state?.terminated?.exitCode)
  expect([status.phase, ...(ends ?? [])].join(" ")).toBe(expected)
})
