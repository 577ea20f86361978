import { canonicalQuantity, formatTime, isConditionTrue, matchesLabels, notFound, parseLabelSelector, parseTime } from "@pilothouse/api"
import { type ContainerStatus, type Node, nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { nodeMetrics, podMetrics } from "@pilothouse/api/metrics/v1beta1"
import type { Client } from "@pilothouse/runtime"
import { curveAnnotation } from "../kubelet/behaviour/behaviour.ts"
import { quantityAt } from "../kubelet/behaviour/curve.ts"
import { isSimulated, realNodes } from "../kubelet/node/simulated-node.ts"
import type { MetricsQuestion } from "./question.ts"

const apiVersion = "metrics.k8s.io/v1beta1"
/** Over how long a use was measured, for those who ask. */
const window = "30s"

/**
 * metrics.k8s.io: what simulated nodes and their pods use of CPU and memory now.
 * Nodes of real kubelets and their pods are left out, as metrics-server leaves out nodes that it cannot scrape.
 */
export async function resourceMetrics(question: MetricsQuestion): Promise<object> {
  const [what = "", name, ...rest] = question.parts
  if (what === "nodes" && rest.length === 0) return name === undefined ? nodeList(question) : oneNode(question, name)
  if (what === "pods" && name === undefined) return podList(question, undefined)
  if (what === "namespaces" && name !== undefined && rest[0] === "pods") return inNamespace(question, name, rest[1])
  throw notFound({ group: "metrics.k8s.io", plural: what }, name ?? "")
}

async function inNamespace(question: MetricsQuestion, namespace: string, name: string | undefined): Promise<object> {
  if (name === undefined) return podList(question, namespace)
  const { items } = await question.client.list(pods, { namespace, fieldSelector: `metadata.name=${name}` })
  const found = (await measuredOf(items, question))[0]
  if (found === undefined) throw notFound(podMetrics, `${namespace}/${name}`)
  return metricsOfPod(found, question)
}

async function podList(question: MetricsQuestion, namespace: string | undefined): Promise<object> {
  const { client, labelSelector, fieldSelector } = question
  const { items } = await client.list(pods, { namespace, labelSelector, fieldSelector })
  const measured = await measuredOf(items, question)
  return { kind: "PodMetricsList", apiVersion, metadata: {}, items: measured.map((pod) => metricsOfPod(pod, question)) }
}

async function measuredOf(items: readonly Pod[], { client }: MetricsQuestion): Promise<readonly Pod[]> {
  const running = items.filter(isMeasured)
  if (running.length === 0) return running
  const real = await realNodes(client)
  return running.filter(({ spec }) => !real.has(spec?.nodeName ?? ""))
}

/** A pod that runs, and of which some container does: of others metrics-server knows nothing. */
function isMeasured({ status }: Pod): boolean {
  return status?.phase === "Running" && (status.containerStatuses ?? []).some(({ state }) => state?.running !== undefined)
}

function metricsOfPod(pod: Pod, question: MetricsQuestion): object {
  const { now } = question
  const { name, namespace, labels, creationTimestamp: _made } = pod.metadata
  const containers = containerUsages(pod, question).map((used) => ({ name: used.name, usage: usageQuantities(used.usage) }))
  const metadata = { name, namespace, creationTimestamp: formatTime(now), ...(labels && { labels }) }
  return { kind: "PodMetrics", apiVersion, metadata, timestamp: formatTime(now), window, containers }
}

async function nodeList(question: MetricsQuestion): Promise<object> {
  const selector = parseLabelSelector(question.labelSelector ?? "")
  const { items } = await question.client.list(nodes)
  const ready = items.filter((node) => isUp(node) && matchesLabels(selector, node.metadata.labels))
  return { kind: "NodeMetricsList", apiVersion, metadata: {}, items: await metricsOfNodes(ready, question) }
}

async function oneNode(question: MetricsQuestion, name: string): Promise<object> {
  const { items } = await question.client.list(nodes, { fieldSelector: `metadata.name=${name}` })
  const [found] = await metricsOfNodes(items.filter(isUp), question)
  if (found === undefined) throw notFound(nodeMetrics, name)
  return found
}

/** A node that metrics are known of. */
function isUp(node: Node): boolean {
  return isSimulated(node) && isConditionTrue(node.status?.conditions, "Ready")
}

async function metricsOfNodes(wanted: readonly Node[], question: MetricsQuestion): Promise<readonly object[]> {
  const { client, now } = question
  const byNode = await podsByNodeName(client, wanted)
  return wanted.map(({ metadata: { name = "", labels } }) => {
    const usages = (byNode.get(name) ?? []).flatMap((pod) => containerUsages(pod, question).map(({ usage }) => usage))
    const metadata = { name, creationTimestamp: formatTime(now), ...(labels && { labels }) }
    return { kind: "NodeMetrics", apiVersion, metadata, timestamp: formatTime(now), window, usage: usageQuantities(sumOf(usages)) }
  })
}

/** Pods by the name of their node: of one node asked for alone, of several with one list for all. */
async function podsByNodeName(client: Client, nodes: readonly Node[]): Promise<ReadonlyMap<string, readonly Pod[]>> {
  const [only, ...others] = nodes
  const fieldSelector = only !== undefined && others.length === 0 ? `spec.nodeName=${only.metadata.name}` : undefined
  const { items } = await client.list(pods, { fieldSelector })
  return Map.groupBy(items, ({ spec }) => spec?.nodeName ?? "")
}

/** Cores and bytes. */
interface Usage {
  readonly cpu: number
  readonly memory: number
}

/** What a container that says nothing uses: as KWOK has it. */
const defaultUsage: Usage = { cpu: 0.001, memory: 2 ** 20 }

/** The usage of one container. */
interface ContainerUsage {
  readonly name: string
  readonly usage: Usage
}

/**
 * Returns what each running container of a pod uses now, sidecars too: `pilothouse.dev/cpu: 0s=100m,60s=900m` counts from its start, and goes before what was
 * measured.
 */
export function containerUsages(pod: Pod, { now, measured }: Pick<MetricsQuestion, "now" | "measured">): readonly ContainerUsage[] {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {}
  const running = [...containerStatuses, ...initContainerStatuses].filter(({ state }) => state?.running !== undefined)
  return running.map((status) => ({ name: status.name, usage: usageOf(pod, status, { now, used: measured?.(pod, status.name) }) }))
}

/** Returns the sum of usages. */
function sumOf(usages: readonly Usage[]): Usage {
  return usages.reduce((sum, { cpu, memory }) => ({ cpu: sum.cpu + cpu, memory: sum.memory + memory }), { cpu: 0, memory: 0 })
}

function usageOf(pod: Pod, { name, state }: ContainerStatus, { now, used }: { readonly now: number; readonly used?: Usage }): Usage {
  const started = state?.running?.startedAt
  const elapsed = started === undefined ? 0 : now - parseTime(started)
  const amount = (resource: keyof Usage) => {
    const curve = curveAnnotation(pod, resource, name)
    return (curve && quantityAt(curve, elapsed)) ?? used?.[resource] ?? defaultUsage[resource]
  }
  return { cpu: amount("cpu"), memory: amount("memory") }
}

/** As metrics-server writes it: nano-cores and kibibytes are truncated below what can be measured. */
function usageQuantities({ cpu, memory }: Usage): Readonly<Record<string, string>> {
  return { cpu: canonicalQuantity(`${Math.round(cpu * 1e9)}n`), memory: `${Math.round(memory / 1024)}Ki` }
}
