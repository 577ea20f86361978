import { type DeviceFacts, isDeviceClaim, noDeviceFacts } from "@pilothouse/api"
import { pods } from "@pilothouse/api/core/v1"
import { readObject } from "../../objects/key.ts"
import type { AdmissionAttributes } from "../plugin.ts"

/** What a quota has to know beyond the object: only of claims of devices it is anything. */
export function deviceFactsFor({ call, resource }: AdmissionAttributes): DeviceFacts {
  if (!isDeviceClaim(resource.descriptor)) return noDeviceFacts
  const { storage, registry, devices } = call.server
  return {
    classes: devices.classes,
    pod: (namespace, name) => readObject(storage, registry.of(pods), namespace, name),
    claimsOf: (namespace, uid) => devices.claimsOf(namespace, uid),
  }
}
