import type { KubeObject } from "@pilothouse/api"
import { made, since } from "./made.ts"
import { nodePools } from "./node-heartbeats.ts"

export const owners = ["ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job"] as const
export type OwnerKind = (typeof owners)[number]

export function controlledBy(owner: KubeObject | undefined): Pick<KubeObject["metadata"], "ownerReferences"> {
  if (owner === undefined) return {}
  const { apiVersion, kind, metadata } = owner
  const { name = "", uid = "" } = metadata
  return { ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }] }
}

function templateOf(kind: OwnerKind, app: string, group: number) {
  return { metadata: { labels: { app } }, spec: { ...podSpec(kind, group), restartPolicy: kind === "Job" ? "Never" : "Always" } }
}

export function deploymentOf(metadata: KubeObject["metadata"], group: number, replicas: number): KubeObject {
  const app = metadata.name ?? ""
  const spec = { replicas, strategy: { type: "Recreate" }, selector: { matchLabels: { app } }, revisionHistoryLimit: 10 }
  return made("apps/v1", "Deployment", metadata, { spec: { ...spec, template: templateOf("ReplicaSet", app, group) } })
}

export function ownerOf(kind: OwnerKind, metadata: KubeObject["metadata"], group: number, replicas: number): KubeObject {
  const app = { app: metadata.name ?? "" }
  const template = templateOf(kind, app.app, group)
  const size = { replicas }
  const status = { ...size, readyReplicas: replicas, availableReplicas: replicas, observedGeneration: 1 }
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
      const spec = { parallelism: replicas, completions: replicas, backoffLimit: 6, completionMode: "NonIndexed", suspend: false }
      const running = { active: replicas, ready: replicas, startTime: since, uncountedTerminatedPods: {}, terminating: 0 }
      return made("batch/v1", kind, metadata, { spec: { ...spec, selector: { matchLabels: app }, template }, status: running })
    }
    default:
      return made("apps/v1", kind, metadata, { spec: { ...size, selector: { matchLabels: app }, template }, status })
  }
}

export function podSpec(kind: OwnerKind, group: number) {
  const container = { name: "main", image: "example/main:1", resources: { requests: { cpu: "10m", memory: "8Mi" } } }
  return { containers: [container], ...(kind === "DaemonSet" && { nodeSelector: { pool: String(group % nodePools) } }) }
}
