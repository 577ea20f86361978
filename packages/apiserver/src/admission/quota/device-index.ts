import { type DeviceClassNames, deviceClassNames, extendedClaimPod, type KubeObject } from "@pilothouse/api"
import { deviceClasses, type ResourceClaim, resourceClaims } from "@pilothouse/api/resource/v1"
import { listPrefix } from "../../registry/object-key.ts"
import type { Registry } from "../../registry/registry.ts"
import type { Change, Storage } from "../../storage/storage.ts"

/** By their keys in the storage. */
type Claims = Map<string, ResourceClaim>

/**
 * The classes of devices, and the claims that the scheduler has made for each pod: a quota needs both for every claim.
 * It begins to follow the storage with its first use, so that a server without devices has nothing of it.
 *
 * Invariant: `#claims` is undefined, or has each stored claim of a pod under "namespace/UID of the pod" and no other;
 * `#classes` is undefined, or is what the stored classes say.
 */
export class DeviceIndex {
  readonly #storage: Storage
  readonly #registry: Registry
  #claims: Map<string, Claims> | undefined
  #classes: DeviceClassNames | undefined

  constructor(storage: Storage, registry: Registry) {
    this.#storage = storage
    this.#registry = registry
  }

  get classes(): DeviceClassNames {
    this.#follow()
    const { stored } = this.#registry.of(deviceClasses)
    this.#classes ??= deviceClassNames(this.#storage.list(stored.prefix).items.map(({ value }) => stored.decode(value)))
    return this.#classes
  }

  claimsOf(namespace: string, pod: string): readonly ResourceClaim[] {
    return [...(this.#follow().get(`${namespace}/${pod}`)?.values() ?? [])]
  }

  #follow(): ReadonlyMap<string, Claims> {
    if (this.#claims !== undefined) return this.#claims
    const claims = new Map<string, Claims>()
    this.#claims = claims
    const storage = this.#storage
    const prefix = listPrefix(this.#registry.of(resourceClaims), undefined)
    for (const { key, value } of storage.list(prefix).items) this.#put(claims, key, value)
    storage.watch(prefix, storage.revision, (change) => this.#see(claims, change))
    storage.watch(listPrefix(this.#registry.of(deviceClasses), undefined), storage.revision, () => {
      this.#classes = undefined
    })
    return claims
  }

  #see(claims: Map<string, Claims>, { type, key, value, previous }: Change): void {
    if (previous) {
      const before = this.#podOf(previous.value)
      const others = before === undefined ? undefined : claims.get(before)
      others?.delete(key)
      if (before !== undefined && others?.size === 0) claims.delete(before)
    }
    if (type === "put") this.#put(claims, key, value)
  }

  #put(claims: Map<string, Claims>, key: string, value: KubeObject): void {
    const pod = this.#podOf(value)
    if (pod === undefined) return
    const others = claims.get(pod) ?? new Map<string, ResourceClaim>()
    claims.set(pod, others.set(key, this.#registry.of(resourceClaims).stored.decode(value)))
  }

  #podOf(value: KubeObject): string | undefined {
    const claim: ResourceClaim = this.#registry.of(resourceClaims).stored.decode(value)
    const pod = extendedClaimPod(claim)
    return pod && `${claim.metadata.namespace}/${pod.uid}`
  }
}
