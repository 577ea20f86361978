import { describe, expect, test } from "vitest"
import { objectIn, statusIn, testServer } from "../../testing/server.ts"

const v1 = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
const v2 = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
const key = (name: string) => `autoscaling.alpha.kubernetes.io/${name}`
const scaleTargetRef = { kind: "Deployment", name: "d", apiVersion: "apps/v1" }
const selector = { matchLabels: { a: "b" } }
const described = { kind: "Ingress", name: "i", apiVersion: "networking.k8s.io/v1" }

/** Metrics of v2, beside the same as Go writes them for v1. */
const metrics: readonly (readonly [title: string, metric: object, old: object])[] = [
  [
    "a value of an object",
    { type: "Object", object: { describedObject: described, metric: { name: "hits", selector }, target: { type: "Value", value: "10" } } },
    { type: "Object", object: { target: described, metricName: "hits", targetValue: "10", selector } },
  ],
  [
    "an average of an object",
    {
      type: "Object",
      object: { describedObject: described, metric: { name: "hits" }, target: { type: "AverageValue", averageValue: "2" } },
    },
    { type: "Object", object: { target: described, metricName: "hits", targetValue: "0", averageValue: "2" } },
  ],
  [
    "an average of pods",
    { type: "Pods", pods: { metric: { name: "rate" }, target: { type: "AverageValue", averageValue: "1500m" } } },
    { type: "Pods", pods: { metricName: "rate", targetAverageValue: "1500m" } },
  ],
  [
    "a resource other than CPU",
    { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } } },
    { type: "Resource", resource: { name: "memory", targetAverageValue: "1Gi" } },
  ],
  [
    "a resource of a container",
    {
      type: "ContainerResource",
      containerResource: { name: "cpu", container: "c", target: { type: "Utilization", averageUtilization: 7 } },
    },
    { type: "ContainerResource", containerResource: { name: "cpu", targetAverageUtilization: 7, container: "c" } },
  ],
  [
    "an external value",
    { type: "External", external: { metric: { name: "queue", selector }, target: { type: "Value", value: "30" } } },
    { type: "External", external: { metricName: "queue", metricSelector: selector, targetValue: "30" } },
  ],
]

describe("autoscaling/v1 has in an annotation, and takes from it,", () => {
  test.each(metrics)("%s", async (_title, metric, old) => {
    const api = testServer()
    const spec = { scaleTargetRef, maxReplicas: 3, metrics: [metric] }
    await api.post(v2, { metadata: { name: "x" }, spec })
    const seen = objectIn(await api.get(`${v1}/x`))
    expect(seen.metadata.annotations).toEqual({ [key("metrics")]: JSON.stringify([old]) })
    const { annotations } = seen.metadata
    objectIn(await api.post(v1, { metadata: { name: "y", annotations }, spec: { scaleTargetRef, maxReplicas: 3 } }), 201)
    const made = objectIn(await api.get(`${v2}/y`))
    expect(made.spec?.metrics).toEqual([metric])
    expect(made.metadata.annotations).toBeUndefined()
  })
})

test("autoscaling/v1 has a behavior in an annotation, by the names of Go's fields", async () => {
  const api = testServer()
  const scaleDown = { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }], tolerance: "100m" }
  await api.post(v2, { metadata: { name: "x" }, spec: { scaleTargetRef, maxReplicas: 3, behavior: { scaleDown } } })
  const seen = objectIn(await api.get(`${v1}/x`))
  const behavior = seen.metadata.annotations?.[key("behavior")] ?? ""
  expect(JSON.parse(behavior)).toMatchObject({
    ScaleUp: { StabilizationWindowSeconds: 0, SelectPolicy: "Max", Tolerance: null },
    ScaleDown: {
      StabilizationWindowSeconds: null,
      SelectPolicy: "Max",
      Policies: [{ Type: "Pods", Value: 1, PeriodSeconds: 60 }],
      Tolerance: "100m",
    },
  })
  const before = objectIn(await api.get(`${v2}/x`))
  objectIn(await api.put(`${v1}/x`, { ...seen, spec: { ...seen.spec, maxReplicas: 4 } }))
  const after = objectIn(await api.get(`${v2}/x`))
  expect(after.spec).toEqual({ ...before.spec, maxReplicas: 4 })
})

const conditions = [{ type: "AbleToScale", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R", message: "a < b & c" }]
const currentMetrics = [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: 40, averageValue: "400m" } } }]

test("autoscaling/v1 has conditions and values of metrics in annotations", async () => {
  const api = testServer()
  const made = objectIn(await api.post(v2, { metadata: { name: "x" }, spec: { scaleTargetRef, maxReplicas: 3 } }), 201)
  objectIn(await api.put(`${v2}/x/status`, { ...made, status: { desiredReplicas: 2, currentMetrics, conditions } }))
  const seen = objectIn(await api.get(`${v1}/x`))
  expect(seen.status).toMatchObject({ desiredReplicas: 2, currentCPUUtilizationPercentage: 40 })
  const resource = { name: "cpu", currentAverageUtilization: 40, currentAverageValue: "400m" }
  expect(seen.metadata.annotations?.[key("current-metrics")]).toBe(JSON.stringify([{ type: "Resource", resource }]))
  expect(seen.metadata.annotations?.[key("conditions")]).toBe(
    '[{"type":"AbleToScale","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z","reason":"R","message":"a \\u003c b \\u0026 c"}]',
  )
})

test("a write of autoscaling/v1 without annotations keeps the status", async () => {
  const api = testServer()
  const made = objectIn(await api.post(v2, { metadata: { name: "x" }, spec: { scaleTargetRef, maxReplicas: 3 } }), 201)
  objectIn(await api.put(`${v2}/x/status`, { ...made, status: { desiredReplicas: 2, currentMetrics, conditions } }))
  const spec = { scaleTargetRef, maxReplicas: 5, targetCPUUtilizationPercentage: 60 }
  objectIn(await api.put(`${v1}/x`, { metadata: { name: "x" }, spec }))
  const { spec: kept, status } = objectIn(await api.get(`${v2}/x`))
  expect(kept?.maxReplicas).toBe(5)
  expect(status).toMatchObject({ desiredReplicas: 2, currentMetrics, conditions })
})

test.each([
  ["not JSON", "["],
  ["no list", "{}"],
  ["a list of something else", "[1]"],
  ["a field of another type", '[{"type":"Pods","pods":{"metricName":5}}]'],
])("an annotation that is %s says nothing", async (_title, text) => {
  const api = testServer()
  const annotations = { [key("metrics")]: text, [key("behavior")]: text, [key("conditions")]: text, own: "kept" }
  objectIn(await api.post(v1, { metadata: { name: "x", annotations }, spec: { scaleTargetRef, maxReplicas: 3 } }), 201)
  const { metadata, spec } = objectIn(await api.get(`${v2}/x`))
  expect(metadata.annotations).toEqual({ own: "kept" })
  expect(spec?.metrics).toMatchObject([{ type: "Resource", resource: { name: "cpu", target: { averageUtilization: 80 } } }])
  expect(spec?.behavior).toBeUndefined()
})

test("fields that are owned in one version conflict in the other", async () => {
  const api = testServer()
  const spec = { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 50 }
  objectIn(await api.post(v1, { metadata: { name: "x" }, spec }, { fieldManager: "one" }), 201)
  const metric = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } }
  const body = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { name: "x" }, spec: { metrics: [metric] } }
  expect(statusIn(await api.apply(`${v2}/x`, body, { fieldManager: "two" }))).toMatchObject({
    code: 409,
    message: 'Apply failed with 1 conflict: conflict with "one" using autoscaling/v1: .spec.targetCPUUtilizationPercentage',
  })
  const forced = objectIn(await api.apply(`${v2}/x`, body, { fieldManager: "two", force: "true" }))
  expect(forced.spec?.metrics).toEqual([metric])
})

test("an update of autoscaling/v1 puts the metrics in its order although it changes nothing (history of seed 2702)", async () => {
  const api = testServer()
  const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } }
  const pods = { type: "Pods", pods: { metric: { name: "hits" }, target: { type: "AverageValue", averageValue: "1500m" } } }
  objectIn(await api.post(v2, { metadata: { name: "a" }, spec: { maxReplicas: 5, scaleTargetRef, metrics: [cpu, pods] } }), 201)
  objectIn(await api.put(`${v1}/a`, objectIn(await api.get(`${v1}/a`))))
  const ordered = objectIn(await api.get(`${v2}/a`))
  expect(ordered.spec).toMatchObject({ metrics: [pods, cpu] })
  const again = objectIn(await api.put(`${v1}/a`, objectIn(await api.get(`${v1}/a`))))
  expect(again.metadata.resourceVersion).toBe(ordered.metadata.resourceVersion)
})
