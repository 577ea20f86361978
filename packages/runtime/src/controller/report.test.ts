import { forbidden, notFound } from "@pilothouse/api"
import { configMaps, pods } from "@pilothouse/api/core/v1"
import { memoryMetrics, PilothouseError, recordingLog } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { Result } from "./plan/plan.ts"
import { plan } from "./plan/plan-builder.ts"
import { reconcileMetrics } from "./reconcile-metrics.ts"
import { type ReconcileReport, reporter } from "./report.ts"
import { Trace } from "./trace.ts"

function setUp() {
  const { log, lines } = recordingLog()
  const report = reporter({ controller: "c", log, trace: new Trace(), metrics: reconcileMetrics(memoryMetrics(), "c"), dryRun: false })
  const look = (key: string, error?: Error) =>
    report({
      key,
      at: 0,
      causes: [],
      outcome: { results: [], error } as never,
      next: { do: "retry" } as ReconcileReport["next"],
      milliseconds: 1,
      cut: false,
    })
  const said = () => lines.map(({ level, message, fields }) => [level, message, fields.key, fields.times])
  return { look, said }
}

const overQuota = (pod: number, used: number) =>
  forbidden(pods, `web-${pod}`, `exceeded quota: q, requested: pods=1, used: pods=${used}, limited: pods=2`)

test("the same failure again and again is said once, and every tenth time", () => {
  const { look, said } = setUp()
  for (let time = 1; time <= 20; time++) look("a", overQuota(time, 2))
  const warned = said().filter(([level]) => level === "warn")
  expect(warned).toEqual([
    ["warn", "reconcile failed, trying again", "a", undefined],
    ["warn", "reconcile failed as before, trying again", "a", 10],
    ["warn", "reconcile failed as before, trying again", "a", 20],
  ])
  expect(said()).toHaveLength(20)
})

test("another failure, another key, and a failure after a good look are said", () => {
  const { look, said } = setUp()
  look("a", overQuota(1, 2))
  look("a", overQuota(2, 3))
  look("b", overQuota(3, 3))
  look("a", new PilothouseError("CONNECTION_LOST", "for now"))
  look("a")
  look("a", new PilothouseError("CONNECTION_LOST", "for now"))
  expect(said().map(([level, , key]) => `${level} ${key}`)).toEqual(["warn a", "warn a", "warn b", "warn a", "warn a"])
})

const badImage = (pod: string, image: string) => forbidden(pods, pod, `image "${image}" of "${pod}" is not allowed`)

test.each<[name: string, first: Error, second: Error, levels: readonly string[]]>([
  ["another thing is missing", notFound(configMaps, "x"), notFound(configMaps, "y"), ["warn", "warn"]],
  ["another value is refused", badImage("web-1", "foo"), badImage("web-2", "bar"), ["warn", "warn"]],
  ["the same value is refused of another name", badImage("web-1", "foo"), badImage("web-2", "foo"), ["warn", "debug"]],
])("what is said when %s", (_name, first, second, levels) => {
  const { look, said } = setUp()
  look("a", first)
  look("a", second)
  expect(said().map(([level]) => level)).toEqual(levels)
})

test("each retry logged its whole plan: the first does, those that fail as before are a short line", () => {
  const { log, lines } = recordingLog()
  const report = reporter({ controller: "c", log, trace: new Trace(), metrics: reconcileMetrics(memoryMetrics(), "c"), dryRun: false })
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "default" } }
  for (let time = 1; time <= 2; time++) {
    const made = plan().create(pod, "it is wanted")
    const error = overQuota(time, 2)
    const results = made.steps.flatMap((step) => step.operations.map((operation): Result => ({ operation, ok: false, error })))
    const outcome = { plan: made, results, observed: [], error }
    report({ key: "a", at: 0, causes: ["Pod added"], outcome, next: { do: "retry" }, milliseconds: 1, cut: false })
  }
  expect(lines.map(({ fields }) => fields)).toEqual([
    {
      controller: "c",
      key: "a",
      error: overQuota(1, 2).message,
      causes: ["Pod added"],
      plan: [expect.stringContaining("create Pod default/web")],
    },
    { controller: "c", key: "a", error: overQuota(2, 2).message, times: 2 },
  ])
})
