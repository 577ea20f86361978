import type { ResourceClaim, ResourceSlice } from "@pilothouse/api/resource/v1"
import type { ResourcePoolStatusRequest } from "@pilothouse/api/resource/v1alpha3"

const gpu = "gpu.example.com"
export const poolStatusVersion = "resource.k8s.io/v1alpha3"

export interface SliceOptions {
  readonly driver?: string
  readonly node?: string
  readonly devices?: number
  readonly generation?: number
  /** How many slices the pool has. */
  readonly expected?: number
  readonly name?: string
}

/** A slice of a pool, on a node or on all nodes. */
export function slice(pool: string, options: SliceOptions = {}): ResourceSlice {
  const { driver = gpu, node, devices = 1, generation = 1, expected = 1, name = pool } = options
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceSlice",
    metadata: { name },
    spec: {
      driver,
      ...(node === undefined ? { allNodes: true } : { nodeName: node }),
      pool: { name: pool, generation, resourceSliceCount: expected },
      devices: Array.from({ length: devices }, (_, at) => ({ name: `${name}-${at}` })),
    },
  }
}

export function allocatedClaim(name: string, pool: string, count: number, driver = gpu): ResourceClaim {
  const results = Array.from({ length: count }, (_, at) => ({ request: "r", driver, pool, device: `${name}-${at}` }))
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: { name, namespace: "default" },
    spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: gpu } }] } },
    status: { allocation: { devices: { results } } },
  }
}

export function statusRequest(name: string, spec: object = {}): ResourcePoolStatusRequest {
  return {
    apiVersion: poolStatusVersion,
    kind: "ResourcePoolStatusRequest",
    metadata: { name, creationTimestamp: "2026-01-10T00:00:00Z" },
    spec: { driver: gpu, ...spec },
  }
}
