import { isAlreadyExists, isConditionTrue, isSimulatedNode, simulatedNodeLabel } from "@pilothouse/api"
import { type Node, nodes } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"

/** "true" stops the kubelet of one simulated node as pulling its plug would: kubectl annotate node node-1 pilothouse.dev/paused=true */
const pausedAnnotation = "pilothouse.dev/paused"

/** "true" lets pods whose image is `process` run as real processes on this host. */
const execLabel = "pilothouse.dev/exec"

/** "true" where the host has only 127.0.0.1, which all processes share. */
const oneAddressLabel = "pilothouse.dev/one-address"

/** As kubelets register themselves: under the older names too. */
const machineLabels = {
  "kubernetes.io/os": "linux",
  "kubernetes.io/arch": "amd64",
  "beta.kubernetes.io/os": "linux",
  "beta.kubernetes.io/arch": "amd64",
}

/** Whether the node is simulated by this process. */
export const isSimulated: (node: Node) => boolean = isSimulatedNode

/**
 * Names of the nodes that a real kubelet runs: no simulated kubelet touches their pods, and nothing is known of what those print or use.
 * Usually none, so that the list is empty however many nodes there are.
 */
export async function realNodes(client: Client): Promise<ReadonlySet<string>> {
  const { items } = await client.list(nodes, { labelSelector: `${simulatedNodeLabel}!=true` })
  return new Set(items.map(({ metadata }) => metadata.name ?? ""))
}

/** Reports whether the node's annotation pauses its kubelet. */
export function isPaused({ metadata }: Node): boolean {
  return metadata.annotations?.[pausedAnnotation] === "true"
}

/** Reports whether pods with the image `process` run as processes on the node. */
export function runsProcesses({ metadata }: Node): boolean {
  return metadata.labels?.[execLabel] === "true"
}

/** Reports whether the node shares the only loopback address of its host. */
export function sharesOneAddress({ metadata }: Node): boolean {
  return metadata.labels?.[oneAddressLabel] === "true"
}

/** The nodes to register. */
export interface SimulatedNodeOptions {
  /** Whether pods whose image is `process` are real processes on them. */
  readonly exec?: boolean
  /** Whether those processes share the one loopback address of this host. */
  readonly oneAddress?: boolean
  readonly signal?: AbortSignal
}

/** node-1, node-2 …, each with 254 pod addresses of its own: 10.244.<number>.0/24. */
export function simulatedNode(number: number, { exec = false, oneAddress = false }: SimulatedNodeOptions = {}): Node {
  const name = `node-${number}`
  // 10.244.0.0/14 and what follows it: a thousand nodes fit.
  const podCIDR = `10.${244 + (number >> 8)}.${number & 255}.0/24`
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: { [simulatedNodeLabel]: "true", "kubernetes.io/hostname": name, ...machineLabels, ...processLabels({ exec, oneAddress }) },
    },
    spec: { podCIDR, podCIDRs: [podCIDR] },
  }
}

/**
 * Registers the nodes as kubelets do when they start; those that are there stay as they are, but for whether they run processes: of them all, also of
 * an earlier start with more nodes.
 */
export async function registerSimulatedNodes(client: Client, count: number, options: SimulatedNodeOptions = {}): Promise<void> {
  const numbers = Array.from({ length: count }, (_, at) => at + 1)
  const { items: before } = await client.list(nodes, { signal: options.signal })
  await Promise.all([
    ...numbers.map((number) => register(client, simulatedNode(number, options), options)),
    ...before.filter(isSimulated).map((node) => label(client, node, options)),
  ])
}

function processLabels({ exec = false, oneAddress = false }: SimulatedNodeOptions): Readonly<Record<string, string>> {
  return { ...(exec && { [execLabel]: "true" }), ...(exec && oneAddress && { [oneAddressLabel]: "true" }) }
}

async function register(client: Client, node: Node, { signal }: SimulatedNodeOptions): Promise<void> {
  try {
    await client.create(nodes, node, { fieldManager: "kubelet", signal })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

async function label(client: Client, node: Node, options: SimulatedNodeOptions): Promise<void> {
  const wanted = processLabels(options)
  const labels = Object.fromEntries([execLabel, oneAddressLabel].map((name) => [name, wanted[name] ?? null]))
  if (Object.entries(labels).every(([name, value]) => (node.metadata.labels?.[name] ?? null) === value)) return
  await client.patch(nodes, node, { metadata: { labels } }, { fieldManager: "kubelet", signal: options.signal })
}

/** Ends when every simulated node says that it is Ready, or after so many attempts with a pause between them: a slow start is no failure. */
export async function untilNodesReady(client: Client, pause: () => Promise<void>, attempts = 400): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { items } = await client.list(nodes)
    if (items.filter(isSimulated).every((node) => isConditionTrue(node.status?.conditions, "Ready"))) return
    await pause()
  }
}
