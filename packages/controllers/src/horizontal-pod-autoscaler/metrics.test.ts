import type { HorizontalPodAutoscaler } from "@pilothouse/api/autoscaling/v2"
import type { ReconcileResult } from "@pilothouse/runtime"
import { memoryMetrics } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { horizontalPodAutoscalerMetrics } from "./metrics.ts"
import type { Observed } from "./observe.ts"

const object = { metadata: { name: "web", namespace: "default" }, spec: { metrics: [] } } as unknown as HorizontalPodAutoscaler
const observed = { hpa: object, readings: [], scaledBy: [], target: { scale: { spec: { replicas: 3 } } } } as unknown as Observed
const look: ReconcileResult<Observed> = { now: 0, observed, results: [], milliseconds: 1, givenUp: false }
const key = "default/web"

function made() {
  const metrics = memoryMetrics()
  const desired = () => /^\w+_desired_replicas\{.*$/m.exec(metrics.text())?.[0]
  return { ...horizontalPodAutoscalerMetrics(metrics), desired, count: () => /^\w+_num_horizontal\w+ .*$/m.exec(metrics.text())?.[0] }
}

const told = 'horizontal_pod_autoscaler_controller_desired_replicas{hpa_name="web",namespace="default"} 3'

test("the desired replicas of a deleted autoscaler were shown for ever", () => {
  const { follower, onReconciled: ended, desired, count } = made()
  follower.changed({ type: "added", object })
  ended(key, look)
  expect(desired()).toBe(told)
  follower.changed({ type: "deleted", object, finalStateUnknown: false })
  expect(desired()).toBeUndefined()
  ended(key, look)
  expect(desired()).toBeUndefined()
  expect(count()).toBe("horizontal_pod_autoscaler_controller_num_horizontal_pod_autoscalers 0")
})

test("one that was deleted while no controller ran is not shown either", () => {
  const { follower, onReconciled: ended, desired } = made()
  follower.changed({ type: "added", object })
  ended(key, look)
  follower.restart()
  expect(desired()).toBeUndefined()
  follower.changed({ type: "added", object })
  ended(key, look)
  expect(desired()).toBe(told)
})
