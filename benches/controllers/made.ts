import type { KubeObject } from "@pilothouse/api"

/** Since when everything in the crowd is as it is. */
export const since = "2026-01-05T08:00:00Z"

/** An object as a server would have it, made without one. */
export function made(apiVersion: string, kind: string, metadata: KubeObject["metadata"], more: object): KubeObject {
  const uid = `uid-${kind.toLowerCase()}-${metadata.namespace ?? ""}-${metadata.name}`
  return { apiVersion, kind, metadata: { uid, creationTimestamp: since, generation: 1, ...metadata }, ...more } as KubeObject
}
