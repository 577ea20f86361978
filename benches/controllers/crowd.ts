import type { KubeObject } from "@pilothouse/api"

/** Pods that belong together: of one owner, behind one Service, under one budget. */
const groupSize = 10
const groupsPerNamespace = 100
const nodes = 100
const nodesPerPool = 10
const since = "2026-01-05T08:00:00Z"

/** A cluster that is at rest, with so many pods that run: of ReplicaSets, ReplicationControllers, StatefulSets, DaemonSets and Jobs in turn. */
export function crowd(pods: number): readonly KubeObject[] {
  const groups = Array.from({ length: Math.ceil(pods / groupSize) }, (_, number) => number)
  const namespaces = Math.ceil(groups.length / groupsPerNamespace)
  return [
    ...Array.from({ length: namespaces }, (_, number) => namespaceNumber(number)),
    ...Array.from({ length: namespaces }, (_, number) => quotaIn(namespaceOf(number * groupsPerNamespace))),
    ...Array.from({ length: nodes }, (_, number) => nodeNumber(number)),
    ...groups.flatMap(groupNumber),
  ]
}

function namespaceOf(group: number): string {
  return `team-${Math.floor(group / groupsPerNamespace)}`
}

function made(apiVersion: string, kind: string, metadata: KubeObject["metadata"], more: object): KubeObject {
  const uid = `uid-${kind.toLowerCase()}-${metadata.namespace ?? ""}-${metadata.name}`
  return { apiVersion, kind, metadata: { uid, creationTimestamp: since, generation: 1, ...metadata }, ...more } as KubeObject
}

function namespaceNumber(number: number): KubeObject {
  const name = namespaceOf(number * groupsPerNamespace)
  return made("v1", "Namespace", { name }, { spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } })
}

function quotaIn(namespace: string): KubeObject {
  return made("v1", "ResourceQuota", { name: "all", namespace }, { spec: { hard: { pods: "100000" } } })
}

function nodeNumber(number: number): KubeObject {
  const labels = { pool: String(number % (nodes / nodesPerPool)), "kubernetes.io/hostname": `node-${number}` }
  const ready = { type: "Ready", status: "True", lastHeartbeatTime: since, lastTransitionTime: since }
  return made("v1", "Node", { name: `node-${number}`, labels }, { spec: {}, status: { conditions: [ready] } })
}

const owners = ["ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job"] as const

function groupNumber(group: number): readonly KubeObject[] {
  const kind = owners[group % owners.length]!
  const metadata = { name: `group-${group}`, namespace: namespaceOf(group), labels: { app: `group-${group}` } }
  const owner = ownerOf(kind, metadata, group)
  const selector = { app: `group-${group}` }
  return [
    owner,
    made("v1", "Service", metadata, { spec: { type: "ClusterIP", clusterIP: "None", selector, ports: [{ port: 80, protocol: "TCP" }] } }),
    made("policy/v1", "PodDisruptionBudget", metadata, { spec: { minAvailable: 1, selector: { matchLabels: selector } } }),
    ...Array.from({ length: groupSize }, (_, number) => podOf(owner, group, number)),
  ]
}

function ownerOf(kind: (typeof owners)[number], metadata: KubeObject["metadata"], group: number): KubeObject {
  const app = { app: metadata.name ?? "" }
  const template = { metadata: { labels: app }, spec: { ...podSpec(kind, group), restartPolicy: kind === "Job" ? "Never" : "Always" } }
  const size = { replicas: groupSize }
  const status = { ...size, readyReplicas: groupSize, availableReplicas: groupSize, observedGeneration: 1 }
  const kept = { updateStrategy: { type: "OnDelete" }, revisionHistoryLimit: 10 }
  switch (kind) {
    case "ReplicationController":
      return made("v1", kind, metadata, { spec: { ...size, selector: app, template }, status })
    case "DaemonSet":
      return made("apps/v1", kind, metadata, { spec: { selector: { matchLabels: app }, template, ...kept }, status: {} })
    case "StatefulSet": {
      const parallel = { podManagementPolicy: "Parallel", serviceName: metadata.name }
      return made("apps/v1", kind, metadata, { spec: { ...size, ...parallel, selector: { matchLabels: app }, template, ...kept }, status })
    }
    case "Job": {
      const spec = { parallelism: groupSize, completions: groupSize, backoffLimit: 6, completionMode: "NonIndexed", suspend: false }
      const running = { active: groupSize, ready: groupSize, startTime: since, uncountedTerminatedPods: {}, terminating: 0 }
      return made("batch/v1", kind, metadata, { spec: { ...spec, selector: { matchLabels: app }, template }, status: running })
    }
    default:
      return made("apps/v1", kind, metadata, { spec: { ...size, selector: { matchLabels: app }, template }, status })
  }
}

function podSpec(kind: (typeof owners)[number], group: number) {
  const container = { name: "main", image: "example/main:1", resources: { requests: { cpu: "10m", memory: "8Mi" } } }
  return { containers: [container], ...(kind === "DaemonSet" && { nodeSelector: { pool: String(group % (nodes / nodesPerPool)) } }) }
}

function podOf(owner: KubeObject, group: number, number: number): KubeObject {
  const { kind, apiVersion, metadata } = owner
  const { name = "", uid = "", namespace, labels } = metadata
  const pool = group % (nodes / nodesPerPool)
  const node = kind === "DaemonSet" ? pool + number * (nodes / nodesPerPool) : (group * 7 + number) % nodes
  const ownerReferences = [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }]
  const tracked = kind === "Job" ? { finalizers: ["batch.kubernetes.io/job-tracking"] } : {}
  const spec = {
    ...podSpec(kind as (typeof owners)[number], group),
    nodeName: `node-${node}`,
    restartPolicy: kind === "Job" ? "Never" : "Always",
  }
  // Without it the set would mend each of its pods at every look: this cluster is at rest.
  const identity: Readonly<Record<string, string>> =
    kind === "StatefulSet" ? { "statefulset.kubernetes.io/pod-name": `${name}-${number}` } : {}
  const podMetadata = { name: `${name}-${number}`, namespace, labels: { ...labels, ...identity }, ownerReferences, ...tracked }
  return withReadiness(
    made("v1", "Pod", podMetadata, { spec, status: { phase: "Running", podIP: addressOf(group * groupSize + number) } }),
    true,
  )
}

function addressOf(number: number): string {
  return `10.${(number >> 14) & 127}.${(number >> 7) & 127}.${(number & 127) + 1}`
}

/** The same pod, ready or not: what most events of pods in a cluster are about. */
export function withReadiness(pod: KubeObject, ready: boolean): KubeObject {
  const { status } = pod as { readonly status?: object }
  const conditions = [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: since }]
  return { ...pod, status: { ...status, conditions } } as KubeObject
}
