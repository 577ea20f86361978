import type { KubeObject } from "@pilothouse/api"
import type { Pod, ResourceQuota, ResourceQuotaSpec, ResourceQuotaStatus } from "@pilothouse/api/core/v1"

export function quota(spec: ResourceQuotaSpec, status?: ResourceQuotaStatus): ResourceQuota {
  return { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "quota", namespace: "default" }, spec, ...(status && { status }) }
}

export interface PodFacts {
  readonly cpu?: string
  readonly priorityClass?: string
  readonly phase?: NonNullable<Pod["status"]>["phase"]
  readonly deadline?: number
  readonly deleted?: string
}

/** With no cpu it asks for nothing, and is best-effort. */
export function pod(name: string, { cpu, priorityClass, phase, deadline, deleted }: PodFacts = {}): Pod {
  const resources = cpu === undefined ? {} : { requests: { cpu, memory: "1Gi" }, limits: { cpu, memory: "2Gi" } }
  const going = deleted === undefined ? {} : { deletionTimestamp: deleted, deletionGracePeriodSeconds: 30 }
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", ...going },
    spec: {
      containers: [{ name: "c", image: "example/c:1", resources }],
      ...(priorityClass !== undefined && { priorityClassName: priorityClass }),
      ...(deadline !== undefined && { activeDeadlineSeconds: deadline }),
    },
    ...(phase !== undefined && { status: { phase } }),
  }
}

export function configMap(name: string): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } }
}
