import { isAlreadyExists, isConditionTrue } from "@pilothouse/api"
import { type Node, nodes } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"

const simulatedLabel = "pilothouse.dev/simulated"

export function isSimulated({ metadata }: Node): boolean {
  return metadata.labels?.[simulatedLabel] === "true"
}

/** node-1, node-2 …, each with 254 pod addresses of its own: 10.244.<number>.0/24. */
export function simulatedNode(number: number): Node {
  const name = `node-${number}`
  // 10.244.0.0/14 and what follows it: a thousand nodes fit.
  const podCIDR = `10.${244 + (number >> 8)}.${number & 255}.0/24`
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: { [simulatedLabel]: "true", "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64" },
    },
    spec: { podCIDR, podCIDRs: [podCIDR] },
  }
}

/** Registers the nodes as kubelets do when they start; those that are there stay as they are. */
export async function registerSimulatedNodes(client: Client, count: number, signal?: AbortSignal): Promise<void> {
  const numbers = Array.from({ length: count }, (_, at) => at + 1)
  await Promise.all(numbers.map((number) => register(client, simulatedNode(number), signal)))
}

async function register(client: Client, node: Node, signal: AbortSignal | undefined): Promise<void> {
  try {
    await client.create(nodes, node, { signal })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

/** Ends when every simulated node says that it is Ready, or after so many looks with a pause between them: a slow start is no failure. */
export async function untilNodesReady(client: Client, pause: () => Promise<void>, looks = 400): Promise<void> {
  for (let look = 0; look < looks; look++) {
    const { items } = await client.list(nodes)
    if (items.filter(isSimulated).every((node) => isConditionTrue(node.status?.conditions, "Ready"))) return
    await pause()
  }
}
