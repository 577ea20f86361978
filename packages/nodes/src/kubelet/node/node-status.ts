import { findCondition, formatTime, parseTime, setCondition } from "@pilothouse/api"
import type { Node, NodeCondition, NodeStatus } from "@pilothouse/api/core/v1"
import { runsProcesses, sharesOneAddress } from "./simulated-node.ts"

const capacity = { cpu: "32", memory: "256Gi", pods: "110", "ephemeral-storage": "1Ti" }

const pressures = [
  ["MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
  ["DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
  ["PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"],
] as const

/** Milliseconds after which a kubelet says the same again: upstream's. */
const reportEvery = 300_000

/** A status of the node that is due to be written, and why. */
export interface NodeReport {
  readonly status: NodeStatus
  readonly reason: string
}

/**
 * Returns the status that a kubelet reports of its node; undefined when it has reported it already, of the address that the node has now, and not
 * long ago.
 */
export function nodeReport(node: Node, now: number): NodeReport | undefined {
  const ready = findCondition(node.status?.conditions, "Ready")
  if (ready?.status !== "True" || hasMoved(node)) return { status: nodeStatus(node, now), reason: "the kubelet has started" }
  const said = ready.lastHeartbeatTime
  if (said !== undefined && now - parseTime(said) < reportEvery) return undefined
  return { status: { ...node.status, conditions: conditions(node, now) }, reason: "its last report is five minutes old" }
}

function nodeStatus(node: Node, now: number): NodeStatus {
  const name = node.metadata.name ?? ""
  return {
    ...node.status,
    capacity: { ...capacity, ...node.status?.capacity },
    allocatable: { ...capacity, ...node.status?.allocatable },
    conditions: conditions(node, now),
    addresses: [
      { type: "InternalIP", address: nodeAddress(node) },
      { type: "Hostname", address: name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      architecture: "amd64",
      bootID: "",
      containerRuntimeVersion: "pilothouse://simulated",
      kernelVersion: "simulated",
      kubeProxyVersion: "v1.36.3",
      kubeletVersion: "v1.36.3",
      machineID: "",
      operatingSystem: "linux",
      osImage: "Pilothouse simulated node",
      systemUUID: "",
    },
  }
}

/**
 * The node's own address: 10.240.x.y for the pod network 10.(244+x).y.0/24. A node that runs processes is this host, and has one of its loopback
 * addresses: 127.60.x.y, below those of process pods and balancers.
 */
export function nodeAddress(node: Node): string {
  const [, second = "244", third = "0"] = (node.spec?.podCIDR ?? "10.244.0.0/24").split(".")
  if (sharesOneAddress(node)) return "127.0.0.1"
  return `${runsProcesses(node) ? "127.60" : "10.240"}.${Number(second) - 244}.${third}`
}

/** Reports whether its address is one that it had when it ran processes, or when it did not. An address of another writer stays. */
function hasMoved(node: Node): boolean {
  const now = nodeAddress(node)
  return node.status?.addresses?.some(({ type, address }) => type === "InternalIP" && address !== now && ours.test(address)) ?? false
}

const ours = /^(10\.240\.|127\.60\.|127\.0\.0\.1$)/

/** Those of other writers stay: a route controller reports on a node whether its network is available. */
function conditions({ status }: Node, now: number): readonly NodeCondition[] {
  const lastHeartbeatTime = formatTime(now)
  const ours: readonly NodeCondition[] = [
    ...pressures.map(([type, reason, message]): NodeCondition => ({ type, status: "False", reason, message })),
    { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" },
  ]
  return ours.reduce<readonly NodeCondition[]>(
    (all, condition) => setCondition(all, { ...condition, lastHeartbeatTime }, now),
    status?.conditions ?? [],
  )
}
