import type { KubeObject } from "@pilothouse/api"
import { made, since } from "./made.ts"
import { nodeNumber, nodePools, nodes } from "./node-heartbeats.ts"
import { controlledBy, deploymentOf, type OwnerKind, ownerOf, owners, podSpec } from "./owners.ts"
import { withReadiness } from "./pod-changes.ts"

const groupsPerNamespace = 100

/** Pods that belong together: of one owner, behind one Service, under one budget. */
const defaultGroup = 10

/**
 * A cluster that is at rest, with so many pods that run: of ReplicaSets (of Deployments that recreate), ReplicationControllers (with a claim for
 * each pod), StatefulSets, DaemonSets and Jobs in turn.
 */
export function crowd(pods: number, groupSize = defaultGroup): readonly KubeObject[] {
  const groups = Array.from({ length: Math.ceil(pods / groupSize) }, (_, number) => number)
  const namespaces = Math.ceil(groups.length / groupsPerNamespace)
  return [
    ...Array.from({ length: namespaces }, (_, number) => namespaceNumber(number)),
    ...Array.from({ length: namespaces }, (_, number) => quotaIn(namespaceOf(number * groupsPerNamespace))),
    ...Array.from({ length: nodes }, (_, number) => nodeNumber(number)),
    ...groups.flatMap((group) => groupNumber(group, groupSize)),
  ]
}

function namespaceOf(group: number): string {
  return `team-${Math.floor(group / groupsPerNamespace)}`
}

function namespaceNumber(number: number): KubeObject {
  const name = namespaceOf(number * groupsPerNamespace)
  return made("v1", "Namespace", { name }, { spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } })
}

function quotaIn(namespace: string): KubeObject {
  return made("v1", "ResourceQuota", { name: "all", namespace }, { spec: { hard: { pods: "100000" } } })
}

function groupNumber(group: number, size: number): readonly KubeObject[] {
  const kind = owners[group % owners.length]!
  const metadata = { name: `group-${group}`, namespace: namespaceOf(group), labels: { app: `group-${group}` } }
  const deployment = kind === "ReplicaSet" ? [deploymentOf(metadata, group, size)] : []
  const owner = ownerOf(kind, { ...metadata, ...controlledBy(deployment[0]) }, group, size)
  const podsOfIt = Array.from({ length: size }, (_, number) => podOf(owner, group, number))
  const selector = { app: `group-${group}` }
  return [
    ...deployment,
    owner,
    made("v1", "Service", metadata, { spec: { type: "ClusterIP", clusterIP: "None", selector, ports: [{ port: 80, protocol: "TCP" }] } }),
    made("policy/v1", "PodDisruptionBudget", metadata, { spec: { minAvailable: 1, selector: { matchLabels: selector } } }),
    ...podsOfIt,
    ...(kind === "ReplicationController" ? podsOfIt.map(claimOf) : []),
  ]
}

/** Bound, protected, and known to be used. */
function claimOf({ metadata }: KubeObject): KubeObject {
  const { name, namespace } = metadata
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, volumeName: `volume-${name}` }
  const unused = { type: "Unused", status: "False", reason: "PodUsingPVC", message: "A pod is currently referencing this PVC" }
  const status = { phase: "Bound", conditions: [{ ...unused, lastTransitionTime: since }] }
  const finalizers = ["kubernetes.io/pvc-protection"]
  return made("v1", "PersistentVolumeClaim", { name, namespace, finalizers }, { spec, status })
}

function podOf(owner: KubeObject, group: number, number: number): KubeObject {
  const { kind, metadata } = owner
  const { name = "", namespace, labels } = metadata
  const pool = group % nodePools
  const node = kind === "DaemonSet" ? pool + number * nodePools : (group * 7 + number) % nodes
  const tracked = kind === "Job" ? { finalizers: ["batch.kubernetes.io/job-tracking"] } : {}
  const spec = {
    ...podSpec(kind as OwnerKind, group),
    ...(kind === "ReplicationController" && {
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: `${name}-${number}` } }],
    }),
    nodeName: `node-${node}`,
    restartPolicy: kind === "Job" ? "Never" : "Always",
  }
  // Without it the set would mend each of its pods at every reconcile: this cluster is at rest.
  const identity: Readonly<Record<string, string>> =
    kind === "StatefulSet" ? { "statefulset.kubernetes.io/pod-name": `${name}-${number}` } : {}
  const podMetadata = { name: `${name}-${number}`, namespace, labels: { ...labels, ...identity }, ...controlledBy(owner), ...tracked }
  // Both, as every kubelet writes them: the controllers that list addresses read podIPs.
  const ip = addressOf(group * defaultGroup + number)
  return withReadiness(made("v1", "Pod", podMetadata, { spec, status: { phase: "Running", podIP: ip, podIPs: [{ ip }] } }), true)
}

function addressOf(number: number): string {
  return `10.${(number >> 14) & 127}.${(number >> 7) & 127}.${(number & 127) + 1}`
}
