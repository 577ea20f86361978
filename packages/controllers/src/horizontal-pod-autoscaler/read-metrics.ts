import { formatLabelSelector, parseTime, selectorOf } from "@pilothouse/api"
import type { MetricSpec } from "@pilothouse/api/autoscaling/v2"
import { type PodMetrics, podMetrics } from "@pilothouse/api/metrics/v1beta1"
import { messageOf, milliseconds } from "@pilothouse/seams"
import { objectValue, podValues } from "./custom-metrics.ts"
import { itemsOf, type MetricsQuestion, metricResource } from "./metrics-question.ts"
import { thousandthsOf } from "./milli-quantity.ts"
import type { PodSample, PodSamples, Reading } from "./samples.ts"

/** What the metrics APIs say of each metric. None of them throws: a failure is an answer, and the others still count. */
export function readMetrics(specs: readonly MetricSpec[], question: MetricsQuestion): Promise<readonly Reading[]> {
  const samples = new ResourceSamples(question)
  return Promise.all(
    specs.map((spec) => readMetric(spec, question, samples).catch((error: unknown): Reading => ({ failure: messageOf(error) }))),
  )
}

/** What the pods use, for one reconcile: one question for all resources of all containers, and the samples of each are made once, however many metrics are about it. */
class ResourceSamples {
  readonly #question: MetricsQuestion
  #asked: Promise<readonly PodMetrics[]> | undefined
  readonly #made = new Map<string, Promise<PodSamples>>()

  constructor(question: MetricsQuestion) {
    this.#question = question
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

async function readMetric(spec: MetricSpec, question: MetricsQuestion, samples: ResourceSamples): Promise<Reading> {
  switch (spec.type) {
    case "Resource":
      return { pods: await samples.ofPods(spec.resource?.name ?? "") }
    case "ContainerResource": {
      const { name = "", container = "" } = spec.containerResource ?? {}
      return { pods: await samples.ofContainer(container, name) }
    }
    case "Pods":
      return { pods: await podValues(spec.pods!, question) }
    case "Object":
      return { values: [await objectValue(spec.object!, question)] }
    case "External":
      return { values: await externalValues(spec, question) }
    default:
      return { failure: `unknown metric source type "${spec.type}"` }
  }
}

async function resourceMetrics({ read, namespace, selector }: MetricsQuestion): Promise<readonly PodMetrics[]> {
  const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/pods`
  const query = { labelSelector: formatLabelSelector(selector) }
  return itemsOf<PodMetrics>(read.ask({ path, query, of: podMetrics }), "resource")
}

/** All containers together. A pod of which one container says nothing is one of which nothing is known. */
function podUsage({ containers }: PodMetrics, resource: string): string | number | undefined {
  // Go writes a list without anything as null.
  const used = (containers ?? []).map(({ usage }) => usage?.[resource])
  if (used.length === 0 || used.includes(undefined)) return undefined
  return `${used.reduce<number>((sum, quantity) => sum + thousandthsOf(quantity ?? "0"), 0)}m`
}

function byPod(pods: readonly PodMetrics[], usage: (pod: PodMetrics) => string | number | undefined): ReadonlyMap<string, PodSample> {
  const found = new Map<string, PodSample>()
  for (const pod of pods) {
    const value = usage(pod)
    if (value === undefined) continue
    const sample = { value: thousandthsOf(String(value)), at: parseTime(pod.timestamp), window: milliseconds(pod.window) }
    found.set(pod.metadata.name ?? "", sample)
  }
  return found
}

async function externalValues({ external }: MetricSpec, { read, namespace }: MetricsQuestion): Promise<readonly number[]> {
  const { name, selector } = external!.metric
  const path = `/apis/external.metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`
  const labelSelector = selector === undefined ? "" : formatLabelSelector(selectorOf(selector))
  const query = labelSelector === "" ? undefined : { labelSelector }
  const items = await itemsOf<{ readonly value: string }>(
    read.ask({ path, query, of: metricResource("external.metrics.k8s.io", name) }),
    "external",
  )
  return items.map(({ value }) => thousandthsOf(value))
}
