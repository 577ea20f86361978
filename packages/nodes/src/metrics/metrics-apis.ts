import { type Descriptor, formatTime, isNotFound, methodNotAllowed, notFound, StatusError, statusOf } from "@pilothouse/api"
import { namespaces } from "@pilothouse/api/core/v1"
import { nodeMetrics, podMetrics } from "@pilothouse/api/metrics/v1beta1"
import type { Client } from "@pilothouse/runtime"
import { type Clock, type Transport, valueBody } from "@pilothouse/seams"
import { annotatedValue, customMetrics } from "./custom-metrics.ts"
import { type Measure, type MetricsQuestion, questionOf } from "./question.ts"
import { resourceMetrics } from "./resource-metrics.ts"

/** What the metrics APIs answer from. */
export interface MetricsApisOptions {
  readonly clock: Clock
  /** Asked for at the first request: the API server that it reaches is made with these. */
  readonly client: () => Client
  /** What containers use that are processes of this host. */
  readonly measured?: Measure
}

/** An API that an API server lets others answer, and what its discovery says of it. */
export interface MetricsApi {
  readonly prefix: string
  readonly transport: Transport
  readonly resources: readonly Descriptor[]
}

const group = "external.metrics.k8s.io"

const apis: readonly { prefix: string; resources: readonly Descriptor[]; answer(question: MetricsQuestion): Promise<object> }[] = [
  { prefix: "/apis/metrics.k8s.io/v1beta1", resources: [nodeMetrics, podMetrics], answer: resourceMetrics },
  {
    prefix: "/apis/custom.metrics.k8s.io/v1beta2",
    resources: [anyMetric("custom.metrics.k8s.io", "v1beta2", "MetricValueList")],
    answer: customMetrics,
  },
  {
    prefix: "/apis/external.metrics.k8s.io/v1beta1",
    resources: [anyMetric("external.metrics.k8s.io", "v1beta1", "ExternalMetricValueList")],
    answer: externalMetrics,
  },
]

/** The metrics of simulated pods and nodes, for autoscalers and `kubectl top`: what metrics-server and metric adapters serve elsewhere. */
export function metricsApis({ clock, client, measured }: MetricsApisOptions): readonly MetricsApi[] {
  return apis.map(({ prefix, resources, answer }) => ({
    prefix,
    resources,
    transport: async (request) => {
      try {
        if (request.verb !== "GET") throw methodNotAllowed(resources[0]!, request.verb.toLowerCase())
        const value = await answer({ ...questionOf(request, client(), clock.now()), measured })
        return { status: 200, headers: { "content-type": "application/json" }, body: valueBody(value) }
      } catch (error) {
        if (!(error instanceof StatusError)) throw error
        return { status: error.statusCode, headers: { "content-type": "application/json" }, body: valueBody(statusOf(error)) }
      }
    },
  }))
}

/**
 * external.metrics.k8s.io: what something outside the cluster measures. Here the Namespace says it, in its annotation
 * `external.metrics.pilothouse.dev/<name>`; a curve counts from its creation. Labels are not looked at: a name has one value.
 */
async function externalMetrics({ client, now, parts }: MetricsQuestion): Promise<object> {
  const [, namespace = "", metricName = ""] = parts
  const value = await client.get(namespaces, namespace).then(
    (object) => annotatedValue(object, `external.metrics.pilothouse.dev/${metricName}`, now),
    (error: unknown) => {
      if (isNotFound(error)) throw notFound({ group, plural: metricName }, "")
      throw error
    },
  )
  const items = value === undefined ? [] : [{ metricName, metricLabels: null, timestamp: formatTime(now), value }]
  return { kind: "ExternalMetricValueList", apiVersion: `${group}/v1beta1`, metadata: {}, items }
}

/** Which metrics there are changes with every annotation: discovery says only that the group is served. */
function anyMetric(group: string, version: string, kind: string): Descriptor {
  const none: readonly never[] = []
  return {
    group,
    version,
    kind,
    plural: "*/*",
    singular: "",
    shortNames: none,
    categories: none,
    namespaced: true,
    verbs: ["get"],
    subresources: none,
  }
}
