import { type DeviceFacts, isDeviceClaim, noDeviceFacts } from "@pilothouse/api"
import { pods } from "@pilothouse/api/core/v1"
import { readObject } from "../../objects/key.ts"
import type { AdmissionAttributes } from "../plugin.ts"

/** What a quota has to know beyond the object: only of claims of devices it is anything. */
export function deviceFactsFor({ server, resource }: AdmissionAttributes): DeviceFacts {
  if (!isDeviceClaim(resource.descriptor)) return noDeviceFacts
  const { storage, registry, devices } = server
  return {
    classes: devices.classes,
    pod: (namespace, name) => readObject(storage, registry.of(pods), namespace, name),
    claimsOf: (namespace, uid) => devices.claimsOf(namespace, uid),
  }
}
