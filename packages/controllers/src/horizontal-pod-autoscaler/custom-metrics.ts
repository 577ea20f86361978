import { formatLabelSelector, hasCause, isNotFound, type LabelSelector, parseTime, resourceNameOf, selectorOf } from "@pilothouse/api"
import type { ObjectMetricSource, PodsMetricSource } from "@pilothouse/api/autoscaling/v2"
import type { Reader } from "@pilothouse/runtime"
import { parseGroupVersion } from "../scale-target/find-scale.ts"
import { customMetricsVersions, itemsOf, type MetricsQuestion } from "./metrics-question.ts"
import { thousandthsOf } from "./milli-quantity.ts"
import type { PodSample } from "./samples.ts"

interface MetricValue {
  readonly describedObject?: { readonly name?: string }
  readonly timestamp?: string
  readonly windowSeconds?: number
  /** The older version's word for it. */
  readonly window?: number
  readonly value: string
}

const defaultWindowSeconds = 60

/** A metric of every pod of the target. */
export async function podValues({ metric }: PodsMetricSource, question: MetricsQuestion): Promise<ReadonlyMap<string, PodSample>> {
  const path = `${inNamespace(question)}/pods/*/${encodeURIComponent(metric.name)}`
  const query = { labelSelector: formatLabelSelector(question.selector), ...metricSelector(metric.selector) }
  const items = await itemsOf<MetricValue>(ask(question, path, query), "custom")
  return new Map(items.map((item) => [item.describedObject?.name ?? "", sampleOf(item)]))
}

function sampleOf({ value, timestamp, windowSeconds, window = defaultWindowSeconds }: MetricValue): PodSample {
  return { value: thousandthsOf(value), at: timestamp ? parseTime(timestamp) : 0, window: (windowSeconds ?? window) * 1000 }
}

/** A metric of one object of the autoscaler's namespace, or of that namespace itself. */
export async function objectValue({ describedObject, metric }: ObjectMetricSource, question: MetricsQuestion): Promise<number> {
  try {
    const place = await placeOf(describedObject, question)
    const path = `${inNamespace(question)}/${place}/${encodeURIComponent(metric.name)}`
    const { items = [] } = (await ask(question, path, metricSelector(metric.selector))) as { readonly items?: readonly MetricValue[] }
    if (items.length !== 1) throw new Error(`the custom metrics API server returned ${items.length} results when we asked for exactly one`)
    return thousandthsOf(items[0]!.value)
  } catch (cause) {
    throw new Error("unable to fetch metrics from custom metrics API", { cause })
  }
}

async function placeOf({ apiVersion, kind, name }: ObjectMetricSource["describedObject"], { read }: MetricsQuestion): Promise<string> {
  const { group } = parseGroupVersion(apiVersion)
  if (group === "" && kind === "Namespace") return "metrics"
  const [of] = await read.versionsOf(group, kind)
  const called = group === "" ? kind : `${kind}.${group}`
  if (of === undefined) throw new Error(`unable to map kind ${called} to resource: no matches for kind "${kind}" in group "${group}"`)
  return `${resourceNameOf(of)}/${encodeURIComponent(name)}`
}

function inNamespace({ namespace }: MetricsQuestion): string {
  return `namespaces/${encodeURIComponent(namespace)}`
}

function metricSelector(selector: LabelSelector | undefined): Readonly<Record<string, string>> {
  const text = selector === undefined ? "" : formatLabelSelector(selectorOf(selector))
  return text === "" ? {} : { metricLabelSelector: text }
}

/** The version that worked last first. Only a server that does not know a version is asked in another. */
async function ask({ read, version }: MetricsQuestion, path: string, query: Readonly<Record<string, string>>): Promise<unknown> {
  const question = (of: string): Parameters<Reader["ask"]>[0] => ({ path: `/apis/custom.metrics.k8s.io/${of}/${path}`, query })
  try {
    return await read.ask(question(version.works))
  } catch (error) {
    if (!isNotFound(error)) throw error
    const other = customMetricsVersions.find((one) => one !== version.works)!
    const answer = await read.ask(question(other)).catch(() => undefined)
    if (answer === undefined) throw failureOf(error)
    version.works = other
    return answer
  }
}

/** Where nobody answers for the group at all; an answer about a metric would have come as a Status. */
function failureOf(error: unknown): unknown {
  return hasCause(error, "UnexpectedServerResponse") ? new Error("no custom metrics API (custom.metrics.k8s.io) registered") : error
}
