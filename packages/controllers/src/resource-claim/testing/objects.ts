import type { Pod, PodResourceClaim } from "@pilothouse/api/core/v1"
import type { ResourceClaim, ResourceClaimTemplate } from "@pilothouse/api/resource/v1"

export const request = { name: "gpu", exactly: { deviceClassName: "gpu.example.com", allocationMode: "ExactCount" as const, count: 1 } }

export const template: ResourceClaimTemplate = {
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaimTemplate",
  metadata: { name: "one-gpu", namespace: "default" },
  spec: { metadata: { labels: { app: "a" }, annotations: { note: "n" } }, spec: { devices: { requests: [request] } } },
}

export const fromTemplate: PodResourceClaim = { name: "gpu", resourceClaimTemplateName: "one-gpu" }

/** A pod of one container with these claims. */
export function podWith(name: string, resourceClaims: readonly PodResourceClaim[], more: Partial<Pod> = {}): Pod {
  const { metadata, spec, ...rest } = more
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", uid: `uid-${name}`, ...metadata },
    spec: { containers: [{ name: "main", image: "example/main:1" }], resourceClaims, ...spec },
    ...rest,
  }
}

/** A claim that was generated for the pod, or for no pod. */
export function claimOf(pod: Pod | undefined, name: string, more: Partial<ResourceClaim> = {}): ResourceClaim {
  const { name: owner = "", uid = "" } = pod?.metadata ?? {}
  const metadata = { ...more.metadata, name, namespace: "default", uid: `uid-${name}` }
  const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: owner, uid, controller: true }]
  const annotations = { "resource.kubernetes.io/pod-claim-name": "gpu" }
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    spec: { devices: { requests: [request] } },
    ...more,
    metadata: pod === undefined ? metadata : { ownerReferences, annotations, ...metadata },
  }
}

export const allocation = { devices: { results: [{ request: "gpu", driver: "gpu.example.com", pool: "node-1", device: "gpu-0" }] } }

/** Reserved for pods of these names. */
export function reservedFor(...names: readonly string[]) {
  return names.map((name) => ({ resource: "pods", name, uid: `uid-${name}` }))
}
