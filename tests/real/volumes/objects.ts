import type { PersistentVolume, PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import type { StorageClass } from "@pilothouse/api/storage/v1"

/** Directories of this machine, made for a claim and removed with it. */
export const directories: StorageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "directories" },
  provisioner: "kubernetes.io/host-path",
  reclaimPolicy: "Delete",
}

export function claim(name: string, storageClassName: string): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace: "default" },
    spec: { accessModes: ["ReadWriteOnce"], storageClassName, resources: { requests: { storage: "1Gi" } } },
  }
}

/** One that a person made and wants to keep. */
export function volume(name: string): PersistentVolume {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      persistentVolumeReclaimPolicy: "Retain",
      storageClassName: "",
      hostPath: { path: `/srv/pilothouse-test/${name}` },
    },
  }
}
