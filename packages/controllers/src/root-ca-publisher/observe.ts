import { type ConfigMap, configMaps, type Namespace, namespaces } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"

export const configMapName = "kube-root-ca.crt"

export interface Observed {
  readonly namespace: Namespace
  readonly configMap?: ConfigMap
}

export function observe(key: string, read: Reader): Observed | undefined {
  const namespace = read.get(namespaces, key)
  return namespace && { namespace, configMap: read.get(configMaps, `${key}/${configMapName}`) }
}
