import { canonicalQuantity, type Descriptor, formatTime, isNotFound, type KubeObject, notFound, parseTime } from "@pilothouse/api"
import { namespaces } from "@pilothouse/api/core/v1"
import { allDescriptors } from "@pilothouse/api/descriptors"
import { parseCurve, quantityAt } from "../kubelet/behaviour/curve.ts"
import type { MetricsQuestion } from "./question.ts"

const group = "custom.metrics.k8s.io"
const apiVersion = `${group}/v1beta2`

/**
 * custom.metrics.k8s.io: any object can carry a metric, in its annotation `custom.metrics.pilothouse.dev/<name>`; a curve counts from
 * its creation. Asked for as namespaces/<namespace>/<resource>/<name or *>/<metric>, <resource>/…, or namespaces/<namespace>/metrics/<metric>.
 */
export async function customMetrics(question: MetricsQuestion): Promise<object> {
  const [first = "", second = "", third = "", fourth = "", metric] = question.parts
  if (first === "namespaces" && third === "metrics") return answer(question, fourth, await one(question, namespaces, undefined, second))
  if (first === "namespaces" && metric !== undefined) return values(question, metric, { resource: third, namespace: second, name: fourth })
  return values(question, third, { resource: first, name: second })
}

interface Place {
  /** "pods", "ingresses.networking.k8s.io". */
  readonly resource: string
  readonly namespace?: string
  readonly name: string
}

async function values(question: MetricsQuestion, metric: string, { resource, namespace, name }: Place): Promise<object> {
  const of = allDescriptors.find((one) => (resource === one.plural && one.group === "") || resource === `${one.plural}.${one.group}`)
  if (of === undefined) throw noMetric(resource, metric)
  const objects = name === "*" ? await all(question, of, namespace) : await one(question, of, namespace, name)
  return answer(question, metric, objects)
}

async function all({ client, labelSelector }: MetricsQuestion, of: Descriptor, namespace?: string): Promise<readonly KubeObject[]> {
  return (await client.list(of, { namespace, labelSelector })).items
}

async function one(
  { client }: MetricsQuestion,
  of: Descriptor,
  namespace: string | undefined,
  name: string,
): Promise<readonly KubeObject[]> {
  try {
    return [await client.get(of, namespace === undefined ? name : `${namespace}/${name}`)]
  } catch (error) {
    if (isNotFound(error)) throw noMetric(of.plural, name)
    throw error
  }
}

/** Objects that do not carry it are left out; a metric that no object carries is not found. */
function answer({ now }: MetricsQuestion, metric: string, objects: readonly KubeObject[]): object {
  const items = objects.flatMap((object) => {
    const { name, namespace } = object.metadata
    const value = annotatedValue(object, `custom.metrics.pilothouse.dev/${metric}`, now)
    const describedObject = { kind: object.kind, ...(namespace && { namespace }), name, apiVersion: object.apiVersion }
    const rest = { metric: { name: metric, selector: null }, timestamp: formatTime(now) }
    return value === undefined ? [] : [{ describedObject, ...rest, value }]
  })
  if (items.length === 0) throw noMetric("", metric)
  return { kind: "MetricValueList", apiVersion, metadata: {}, items }
}

/** Returns the value of an annotation at this moment: "40", or a curve since the object was made. */
export function annotatedValue({ metadata }: KubeObject, annotation: string, now: number): string | undefined {
  const text = metadata.annotations?.[annotation]
  const curve = text === undefined ? undefined : parseCurve(text)
  const made = metadata.creationTimestamp === undefined ? now : parseTime(metadata.creationTimestamp)
  const value = curve && quantityAt(curve, now - made)
  return value === undefined ? undefined : canonicalQuantity(`${Math.round(value * 1000)}m`)
}

function noMetric(resource: string, metric: string) {
  return notFound({ group, plural: resource }, metric)
}
