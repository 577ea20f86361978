import { isAlreadyExists } from "@pilothouse/api"
import { type StorageClass, storageClasses } from "@pilothouse/api/storage/v1"
import type { Client } from "@pilothouse/runtime"

/** What a claim that names no class gets: a directory of this machine. */
const standard: StorageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: "kubernetes.io/host-path",
  reclaimPolicy: "Delete",
  volumeBindingMode: "Immediate",
}

/** One that is there, changed or not, stays as it is. */
export async function ensureStorageClass(client: Client): Promise<void> {
  try {
    await client.create(storageClasses, standard)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
