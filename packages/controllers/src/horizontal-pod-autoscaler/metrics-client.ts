import {
  type Descriptor,
  formatLabelSelector,
  hasCause,
  isNotFound,
  type LabelSelector,
  parseTime,
  resourceNameOf,
  type Selector,
  selectorOf,
} from "@pilothouse/api"
import type { MetricSpec, ObjectMetricSource, PodsMetricSource } from "@pilothouse/api/autoscaling/v2"
import { type PodMetrics, podMetrics } from "@pilothouse/api/metrics/v1beta1"
import type { Reader } from "@pilothouse/runtime"
import { messageOf, milliseconds } from "@pilothouse/seams"
import { parseGroupVersion } from "../scale-target/find-scale.ts"
import { milliValue, type PodSample, type PodSamples, type Reading } from "./samples.ts"

/** In the order they are tried. */
export const customMetricsVersions = ["v1beta2", "v1beta1"] as const

/** The version of the custom metrics API that answered last: it is tried first. */
export interface CustomMetricsVersion {
  works: (typeof customMetricsVersions)[number]
}

export interface MetricsRequest {
  readonly read: Reader
  readonly namespace: string
  /** Of the target's pods. */
  readonly selector: Selector
  readonly version: CustomMetricsVersion
}

/** Returns the resource that failures name: "queue.external.metrics.k8s.io". A metric stands where other groups have resources. */
export function metricResource(group: string, plural: string): Descriptor {
  return { ...podMetrics, group, plural } as Descriptor
}

/** The items of a list of metrics, of which there has to be one at least. */
export async function listItems<T>(answer: Promise<unknown>, api: "resource" | "custom" | "external"): Promise<readonly T[]> {
  const list = await answer.catch((cause: unknown) => {
    throw new Error(`unable to fetch metrics from ${api} metrics API`, { cause })
  })
  const { items } = (list ?? {}) as { readonly items?: readonly T[] }
  if (!Array.isArray(items) || items.length === 0) throw new Error(`no metrics returned from ${api} metrics API`)
  return items
}

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
export async function podValues({ metric }: PodsMetricSource, request: MetricsRequest): Promise<ReadonlyMap<string, PodSample>> {
  const path = `${inNamespace(request)}/pods/*/${encodeURIComponent(metric.name)}`
  const query = { labelSelector: formatLabelSelector(request.selector), ...metricSelector(metric.selector) }
  const items = await listItems<MetricValue>(ask(request, path, query), "custom")
  return new Map(items.map((item) => [item.describedObject?.name ?? "", toSample(item)]))
}

function toSample({ value, timestamp, windowSeconds, window = defaultWindowSeconds }: MetricValue): PodSample {
  return { value: milliValue(value), at: timestamp ? parseTime(timestamp) : 0, window: (windowSeconds ?? window) * 1000 }
}

/** A metric of one object of the autoscaler's namespace, or of that namespace itself. */
export async function objectValue({ describedObject, metric }: ObjectMetricSource, request: MetricsRequest): Promise<number> {
  try {
    const place = await resourcePath(describedObject, request)
    const path = `${inNamespace(request)}/${place}/${encodeURIComponent(metric.name)}`
    const { items = [] } = (await ask(request, path, metricSelector(metric.selector))) as { readonly items?: readonly MetricValue[] }
    if (items.length !== 1) throw new Error(`the custom metrics API server returned ${items.length} results when we asked for exactly one`)
    return milliValue(items[0]!.value)
  } catch (cause) {
    throw new Error("unable to fetch metrics from custom metrics API", { cause })
  }
}

async function resourcePath({ apiVersion, kind, name }: ObjectMetricSource["describedObject"], { read }: MetricsRequest): Promise<string> {
  const { group } = parseGroupVersion(apiVersion)
  if (group === "" && kind === "Namespace") return "metrics"
  const [of] = await read.versionsOf(group, kind)
  const called = group === "" ? kind : `${kind}.${group}`
  if (of === undefined) throw new Error(`unable to map kind ${called} to resource: no matches for kind "${kind}" in group "${group}"`)
  return `${resourceNameOf(of)}/${encodeURIComponent(name)}`
}

function inNamespace({ namespace }: MetricsRequest): string {
  return `namespaces/${encodeURIComponent(namespace)}`
}

function metricSelector(selector: LabelSelector | undefined): Readonly<Record<string, string>> {
  const text = selector === undefined ? "" : formatLabelSelector(selectorOf(selector))
  return text === "" ? {} : { metricLabelSelector: text }
}

/** The version that worked last first. Only a server that does not know a version is asked in another. */
async function ask({ read, version }: MetricsRequest, path: string, query: Readonly<Record<string, string>>): Promise<unknown> {
  const request = (of: string): Parameters<Reader["ask"]>[0] => ({ path: `/apis/custom.metrics.k8s.io/${of}/${path}`, query })
  try {
    return await read.ask(request(version.works))
  } catch (error) {
    if (!isNotFound(error)) throw error
    const other = customMetricsVersions.find((one) => one !== version.works)!
    const answer = await read.ask(request(other)).catch(() => undefined)
    if (answer === undefined) throw apiFailure(error)
    version.works = other
    return answer
  }
}

/** No server answers for the group at all; an answer about a metric would have been a Status. */
function apiFailure(error: unknown): unknown {
  return hasCause(error, "UnexpectedServerResponse") ? new Error("no custom metrics API (custom.metrics.k8s.io) registered") : error
}

/** Reads each metric from the metrics APIs. Never throws: a failure is an answer, and the others still count. */
export function readMetrics(specs: readonly MetricSpec[], request: MetricsRequest): Promise<readonly Reading[]> {
  const samples = new ResourceSamples(request)
  return Promise.all(
    specs.map((spec) => readMetric(spec, request, samples).catch((error: unknown): Reading => ({ failure: messageOf(error) }))),
  )
}

/** What the pods use, for one reconcile: one request for all resources of all containers, and the samples of each are made once, however many metrics are about it. */
class ResourceSamples {
  readonly #question: MetricsRequest
  #asked: Promise<readonly PodMetrics[]> | undefined
  readonly #made = new Map<string, Promise<PodSamples>>()

  constructor(request: MetricsRequest) {
    this.#question = request
  }

  ofPods(resource: string): Promise<PodSamples> {
    return this.#of(`/${resource}`, (pod) => podUsage(pod, resource))
  }

  ofContainer(container: string, resource: string): Promise<PodSamples> {
    return this.#of(`${container}/${resource}`, (pod) => pod.containers?.find(({ name }) => name === container)?.usage[resource])
  }

  #of(key: string, usage: (pod: PodMetrics) => string | number | undefined): Promise<PodSamples> {
    const made = this.#made.get(key) ?? this.#make(usage)
    this.#made.set(key, made)
    return made
  }

  async #make(usage: (pod: PodMetrics) => string | number | undefined): Promise<PodSamples> {
    this.#asked ??= resourceMetrics(this.#question)
    return byPod(await this.#asked, usage)
  }
}

async function readMetric(spec: MetricSpec, request: MetricsRequest, samples: ResourceSamples): Promise<Reading> {
  switch (spec.type) {
    case "Resource":
      return { pods: await samples.ofPods(spec.resource?.name ?? "") }
    case "ContainerResource": {
      const { name = "", container = "" } = spec.containerResource ?? {}
      return { pods: await samples.ofContainer(container, name) }
    }
    case "Pods":
      return { pods: await podValues(spec.pods!, request) }
    case "Object":
      return { values: [await objectValue(spec.object!, request)] }
    case "External":
      return { values: await externalValues(spec, request) }
    default:
      return { failure: `unknown metric source type "${spec.type}"` }
  }
}

async function resourceMetrics({ read, namespace, selector }: MetricsRequest): Promise<readonly PodMetrics[]> {
  const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/pods`
  const query = { labelSelector: formatLabelSelector(selector) }
  return listItems<PodMetrics>(read.ask({ path, query, of: podMetrics }), "resource")
}

/** All containers together. A pod of which one container says nothing is one of which nothing is known. */
function podUsage({ containers }: PodMetrics, resource: string): string | number | undefined {
  // Go writes a list without anything as null.
  const used = (containers ?? []).map(({ usage }) => usage?.[resource])
  if (used.length === 0 || used.includes(undefined)) return undefined
  return `${used.reduce<number>((sum, quantity) => sum + milliValue(quantity ?? "0"), 0)}m`
}

function byPod(pods: readonly PodMetrics[], usage: (pod: PodMetrics) => string | number | undefined): ReadonlyMap<string, PodSample> {
  const found = new Map<string, PodSample>()
  for (const pod of pods) {
    const value = usage(pod)
    if (value === undefined) continue
    const sample = { value: milliValue(String(value)), at: parseTime(pod.timestamp), window: milliseconds(pod.window) }
    found.set(pod.metadata.name ?? "", sample)
  }
  return found
}

async function externalValues({ external }: MetricSpec, { read, namespace }: MetricsRequest): Promise<readonly number[]> {
  const { name, selector } = external!.metric
  const path = `/apis/external.metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`
  const labelSelector = selector === undefined ? "" : formatLabelSelector(selectorOf(selector))
  const query = labelSelector === "" ? undefined : { labelSelector }
  const items = await listItems<{ readonly value: string }>(
    read.ask({ path, query, of: metricResource("external.metrics.k8s.io", name) }),
    "external",
  )
  return items.map(({ value }) => milliValue(value))
}
