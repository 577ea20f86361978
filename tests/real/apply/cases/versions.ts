import { type Step, subject } from "../step.ts"

const v1 = subject("/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers", "web")
const v2 = subject("/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers", "web")
const coreEvent = subject("/api/v1/namespaces/default/events", "e")
const event = subject("/apis/events.k8s.io/v1/namespaces/default/events", "e")

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" }
const cpu = (averageUtilization: number) => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
})

function autoscaler(version: string, spec: object, metadata: object = {}): object {
  return { apiVersion: `autoscaling/${version}`, kind: "HorizontalPodAutoscaler", metadata: { name: "web", ...metadata }, spec }
}

function coreBody(more: object): object {
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "e" },
    involvedObject: { kind: "Pod", name: "p", namespace: "default" },
    ...more,
  }
}

function body(more: object): object {
  return { apiVersion: "events.k8s.io/v1", kind: "Event", metadata: { name: "e" }, ...more }
}

export const versions: readonly Step[] = [
  v1.create("an autoscaler of v1", autoscaler("v1", { scaleTargetRef, maxReplicas: 5, targetCPUUtilizationPercentage: 50 }), {
    manager: "one",
  }),
  v2.read("as v2"),
  v2.apply("apply as v2 of the metrics", autoscaler("v2", { metrics: [cpu(60)] }), { manager: "two" }),
  v2.force("forced apply as v2 of the metrics", autoscaler("v2", { metrics: [cpu(60)] }), { manager: "two" }),
  v1.read("as v1"),
  v1.apply("apply as v1 conflicts", autoscaler("v1", { targetCPUUtilizationPercentage: 70 }), { manager: "three" }),
  v1.force("forced apply as v1", autoscaler("v1", { targetCPUUtilizationPercentage: 70 }), { manager: "three" }),
  v2.merge("another target of v2", { spec: { metrics: [cpu(75)] } }, { manager: "four" }),
  v1.read("as v1"),
  v1.apply("the applier of v2 moves to v1", autoscaler("v1", { minReplicas: 2 }), { manager: "two" }),
  v1.force("by force", autoscaler("v1", { minReplicas: 2 }), { manager: "two" }),
  v2.apply("and back to v2", autoscaler("v2", { minReplicas: 2 }), {
    manager: "two",
  }),
  v1.merge("a label as v1", { metadata: { labels: { a: "b" } } }, { manager: "five" }),
  v1.update("an update as v1", autoscaler("v1", { scaleTargetRef, maxReplicas: 6 }), { manager: "five" }),
  v2.read("as v2"),
  v2.sub("status").merge("status as v2", { status: { currentReplicas: 1, desiredReplicas: 2 } }, { manager: "controller" }),
  v1
    .sub("status")
    .apply(
      "apply of the status as v1",
      { ...autoscaler("v1", {}), status: { currentReplicas: 3, desiredReplicas: 2 } },
      { manager: "six" },
    ),
  v1
    .sub("status")
    .force(
      "forced apply of the status as v1",
      { ...autoscaler("v1", {}), status: { currentReplicas: 3, desiredReplicas: 2 } },
      { manager: "six" },
    ),
  v2.apply("an apply of v1 to v2", autoscaler("v1", { minReplicas: 2 }), { manager: "two" }),
  v1.remove("delete"),
  v1.apply("apply creates as v1", autoscaler("v1", { scaleTargetRef, maxReplicas: 5, targetCPUUtilizationPercentage: 50 }), {
    manager: "one",
  }),
  v2.apply("the same applier as v2", autoscaler("v2", { scaleTargetRef, maxReplicas: 5, metrics: [cpu(50)] }), { manager: "one" }),
  v2.apply("the same applier drops the metrics as v2", autoscaler("v2", { scaleTargetRef, maxReplicas: 5 }), { manager: "one" }),

  coreEvent.create(
    "an event of core",
    coreBody({
      reason: "R",
      message: "m",
      type: "Normal",
      source: { component: "c" },
      firstTimestamp: "2024-01-02T03:04:05Z",
      lastTimestamp: "2024-01-02T03:04:05Z",
      count: 1,
    }),
    { manager: "one" },
  ),
  event.read("as events.k8s.io"),
  event.apply("apply as events.k8s.io", body({ reason: "R2" }), { manager: "two" }),
  event.force("forced apply as events.k8s.io", body({ reason: "R2", deprecatedCount: 2 }), { manager: "two" }),
  event.apply("apply of a label as events.k8s.io", { ...body({}), metadata: { name: "e", labels: { a: "b" } } }, { manager: "three" }),
  coreEvent.apply("apply of a label as core", { ...coreBody({}), metadata: { name: "e", labels: { b: "c" } } }, { manager: "three" }),
  coreEvent.merge("a patch as core", { count: 2, lastTimestamp: "2024-01-02T03:04:09Z" }, { manager: "four" }),
  event.merge("a patch as events.k8s.io", { metadata: { annotations: { a: "b" } } }, { manager: "four" }),
  coreEvent.read("as core"),
  subject("/apis/events.k8s.io/v1/namespaces/default/events", "f").create("an event of events.k8s.io", {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name: "f" },
    eventTime: "2024-01-02T03:04:05.123456Z",
    reportingController: "test/c",
    reportingInstance: "i",
    action: "A",
    reason: "R",
    type: "Normal",
    regarding: { kind: "Pod", name: "p", namespace: "default" },
  }),
  subject("/api/v1/namespaces/default/events", "f").merge(
    "a patch of it as core",
    { metadata: { labels: { a: "b" } } },
    { manager: "two" },
  ),
]
