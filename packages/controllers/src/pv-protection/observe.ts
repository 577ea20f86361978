import { type PersistentVolume, persistentVolumes } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"

export function observe(key: string, read: Reader): PersistentVolume | undefined {
  return read.get(persistentVolumes, key)
}
