import type { VolumeAttributesClass } from "@pilothouse/api/storage/v1"

export function volumeClass(name: string, metadata: VolumeAttributesClass["metadata"] = {}): VolumeAttributesClass {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttributesClass",
    metadata: { name, ...metadata },
    driverName: "csi.example.com",
    parameters: { iops: "100" },
  }
}
