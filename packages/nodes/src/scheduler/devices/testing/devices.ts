import type {
  Device,
  DeviceClaim,
  DeviceClass,
  DeviceRequest,
  ResourceClaim,
  ResourceSlice,
  ResourceSliceSpec,
} from "@pilothouse/api/resource/v1"

export const driver = "gpu.example.com"

export function deviceClass(name = driver, spec: DeviceClass["spec"] = {}): DeviceClass {
  return { apiVersion: "resource.k8s.io/v1", kind: "DeviceClass", metadata: { name }, spec }
}

/** A slice of one node's own pool. */
export function slice(node: string, devices: readonly Device[], more: Partial<ResourceSliceSpec> = {}): ResourceSlice {
  const { pool, ...rest } = more
  const name = `${node}-${pool?.name ?? "own"}-${devices[0]?.name ?? "none"}`
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceSlice",
    metadata: { name },
    spec: {
      driver,
      ...(rest.allNodes || rest.nodeSelector || rest.perDeviceNodeSelection ? {} : { nodeName: node }),
      devices,
      ...rest,
      pool: { name: node, generation: 1, resourceSliceCount: 1, ...pool },
    },
  }
}

/** Devices of these names without anything else. */
export function devices(...names: readonly string[]): readonly Device[] {
  return names.map((name) => ({ name }))
}

export function request(name: string, more: Partial<NonNullable<DeviceRequest["exactly"]>> = {}): DeviceRequest {
  return { name, exactly: { deviceClassName: driver, allocationMode: "ExactCount", count: 1, ...more } }
}

export function claim(name: string, requests: readonly DeviceRequest[], more: Omit<DeviceClaim, "requests"> = {}): ResourceClaim {
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: { name, namespace: "default", uid: `12345678-0000-4000-8000-${name.padStart(12, "0")}` },
    spec: { devices: { requests, ...more } },
  }
}

export function cel(expression: string) {
  return { selectors: [{ cel: { expression } }] }
}
