import { type StorageVersion, storageVersions } from "@pilothouse/api/apiserverinternal/v1alpha1"
import { type Lease, leases } from "@pilothouse/api/coordination/v1"
import type { Cluster } from "@pilothouse/testing"

export const internalVersion = "internal.apiserver.k8s.io/v1alpha1"

/** The Lease with which an API server says that it runs. */
export function identityLease(name: string): Lease {
  const labels = { "apiserver.kubernetes.io/identity": "kube-apiserver" }
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name, namespace: "kube-system", labels }, spec: {} }
}

/** Says in which version each of these API servers stores a resource. */
export async function storedBy(running: Cluster, name: string, servers: Readonly<Record<string, string>>): Promise<void> {
  await running.apply({ apiVersion: internalVersion, kind: "StorageVersion", metadata: { name }, spec: {} })
  const made = await running.client.get(storageVersions, name)
  await running.client.updateStatus(storageVersions, { ...made, status: statusOf(servers) })
}

export function statusOf(servers: Readonly<Record<string, string>>): NonNullable<StorageVersion["status"]> {
  const versions = [...new Set(Object.values(servers))]
  return {
    ...(versions.length === 1 && { commonEncodingVersion: versions[0]! }),
    storageVersions: Object.entries(servers).map(([apiServerID, encodingVersion]) => ({
      apiServerID,
      encodingVersion,
      decodableVersions: [encodingVersion],
    })),
  }
}

export async function removeLease(running: Cluster, name: string): Promise<void> {
  await running.client.delete(leases, `kube-system/${name}`)
}
