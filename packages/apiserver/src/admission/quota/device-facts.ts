import { type DeviceFacts, deviceClassNames, extendedClaimPod, isDeviceClaim, noDeviceFacts } from "@pilothouse/api"
import { pods } from "@pilothouse/api/core/v1"
import { deviceClasses, type ResourceClaim, resourceClaims } from "@pilothouse/api/resource/v1"
import { listPrefix, readObject } from "../../objects/key.ts"
import type { Admitting } from "../plugin.ts"

/** What a quota has to know beyond the object: only of claims of devices it is anything. */
export function deviceFactsFor({ call, resource }: Admitting): DeviceFacts {
  if (!isDeviceClaim(resource.descriptor)) return noDeviceFacts
  const { storage, registry } = call.server
  const [classes, claims] = [registry.of(deviceClasses), registry.of(resourceClaims)]
  return {
    classes: deviceClassNames(storage.list(listPrefix(classes, undefined)).items.map(({ value }) => classes.stored.decode(value))),
    pod: (namespace, name) => readObject(storage, registry.of(pods), namespace, name),
    claimsOf: (namespace, uid) =>
      storage
        .list(listPrefix(claims, namespace))
        .items.map(({ value }): ResourceClaim => claims.stored.decode(value))
        .filter((claim) => extendedClaimPod(claim)?.uid === uid),
  }
}
