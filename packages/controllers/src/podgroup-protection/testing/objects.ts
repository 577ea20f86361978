import type { Pod } from "@pilothouse/api/core/v1"
import type { PodGroup } from "@pilothouse/api/scheduling/v1alpha2"

export const podGroupVersion = "scheduling.k8s.io/v1alpha2"

export function podGroup(name: string, namespace = "default"): PodGroup {
  return {
    apiVersion: podGroupVersion,
    kind: "PodGroup",
    metadata: { name, namespace },
    spec: { schedulingPolicy: { gang: { minCount: 1 } } },
  }
}

export function podOf(podGroupName: string, name = podGroupName, namespace = "default"): Pod {
  const spec = { containers: [{ name: "a", image: "a" }], schedulingGroup: { podGroupName } }
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace }, spec }
}
