import { formatTime, internalError, notFound, type StatusError } from "@pilothouse/api"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { queryValue, type Transport, type TransportRequest, type TransportResponse, valueBody } from "@pilothouse/seams"
import type { Cluster, ClusterOptions } from "@pilothouse/testing"

/** Metrics APIs that answer as a test sets them. */
export interface ScriptedMetrics {
  readonly extensions: NonNullable<ClusterOptions["extensions"]>
  /** Thousandths of a core that a pod uses; undefined: nothing is known of it. */
  cpu: ((pod: Pod) => number | undefined) | undefined
  /** Values of custom metrics of pods, of objects, and of external metrics, by name: "qps", "services/web/qps", "queue". */
  readonly values: Map<string, number>
  /** Everything is answered with 500. */
  broken: boolean
  /** Which versions of custom metrics there are. */
  version: "v1beta1" | "v1beta2"
  /** The paths that were asked for. */
  readonly asked: string[]
  attach(cluster: Cluster): void
}

export function scriptedMetrics(): ScriptedMetrics {
  let cluster: Cluster | undefined
  const transport: Transport = async (request) => {
    script.asked.push(request.path)
    if (script.broken) return refused(internalError("the metrics are broken"))
    if (cluster === undefined) return refused(notFound({ group: "metrics.k8s.io", plural: "pods" }, ""))
    const [, , group = "", version = "", , namespace = "", ...rest] = request.path.split("/").map(decodeURIComponent)
    const question = { cluster, namespace, rest, request }
    if (group === "metrics.k8s.io") return resource(script, question)
    if (group === "external.metrics.k8s.io") return external(script, question)
    return version === script.version ? custom(script, question) : refused(notFound({ group, plural: rest[0] ?? "" }, ""))
  }
  const prefixes = ["metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io"]
  const script: ScriptedMetrics = {
    extensions: prefixes.map((group) => ({ prefix: `/apis/${group}`, transport })),
    cpu: undefined,
    values: new Map(),
    broken: false,
    version: "v1beta2",
    asked: [],
    attach: (made) => {
      cluster = made
    },
  }
  return script
}

interface Question {
  readonly cluster: Cluster
  readonly namespace: string
  readonly rest: readonly string[]
  readonly request: TransportRequest
}

async function selected({ cluster, namespace, request }: Question): Promise<readonly Pod[]> {
  return cluster.list(pods, { namespace, labelSelector: queryValue(request.query, "labelSelector") })
}

async function resource({ cpu }: ScriptedMetrics, question: Question): Promise<TransportResponse> {
  if (cpu === undefined) return refused(notFound({ group: "metrics.k8s.io", plural: "pods" }, ""))
  const timestamp = formatTime(question.cluster.clock.now())
  const items = (await selected(question)).flatMap((pod) => {
    const used = cpu(pod)
    const { name, namespace } = pod.metadata
    const containers = (pod.spec?.containers ?? []).map((container) => ({ name: container.name, usage: { cpu: `${used}m` } }))
    return used === undefined ? [] : [{ metadata: { name, namespace }, timestamp, window: "10s", containers }]
  })
  return answered({ kind: "PodMetricsList", apiVersion: "metrics.k8s.io/v1beta1", metadata: {}, items })
}

async function custom({ values }: ScriptedMetrics, question: Question): Promise<TransportResponse> {
  const [plural = "", name = "", metric = ""] = question.rest
  const timestamp = formatTime(question.cluster.clock.now())
  if (name === "*") {
    const value = values.get(metric)
    const found = value === undefined ? [] : await selected(question)
    const items = found.map((pod) => ({ describedObject: { kind: "Pod", name: pod.metadata.name }, timestamp, value: `${value}m` }))
    return answered({ kind: "MetricValueList", apiVersion: "custom.metrics.k8s.io/v1beta2", metadata: {}, items })
  }
  const value = values.get(question.rest.join("/"))
  if (value === undefined) return refused(notFound({ group: "custom.metrics.k8s.io", plural }, question.rest.at(-1) ?? ""))
  const items = [{ describedObject: { name }, timestamp, value: `${value}m` }]
  return answered({ kind: "MetricValueList", apiVersion: "custom.metrics.k8s.io/v1beta2", metadata: {}, items })
}

async function external({ values }: ScriptedMetrics, { rest }: Question): Promise<TransportResponse> {
  const value = values.get(rest[0] ?? "")
  const items = value === undefined ? [] : [{ metricName: rest[0], value: `${value}m` }]
  return answered({ kind: "ExternalMetricValueList", apiVersion: "external.metrics.k8s.io/v1beta1", metadata: {}, items })
}

function answered(value: unknown): TransportResponse {
  return { status: 200, headers: {}, body: valueBody(value) }
}

function refused({ statusCode, status }: StatusError): TransportResponse {
  return { status: statusCode, headers: {}, body: valueBody(status) }
}
