import { formatTime, type KubeObject, parseTime, pathOf } from "@pilothouse/api"
import { services } from "@pilothouse/api/core/v1"
import { type Event, events } from "@pilothouse/api/events/v1"
import { type IPAddress, ipAddresses } from "@pilothouse/api/networking/v1"
import { messageOf } from "@pilothouse/seams"
import { ownedAsCreatedNow } from "../objects/owned-by-server.ts"
import { stamped } from "../objects/stamped.ts"
import { listPrefix, objectKey } from "../registry/object-key.ts"
import type { Serve } from "../server/call.ts"
import { ownWrite } from "../server/own-write.ts"
import type { Server } from "../server/server.ts"
import { clusterAddresses, familyOf, hasAllocatorLabels, ipAddressOf, isManaged, namesService } from "../services/ip-addresses.ts"

const controllerName = "ipallocator-repair-controller"
/** After a write that was refused. */
const retryAfter = 5_000
/** How long a managed IPAddress may be there without its Service, in milliseconds: upstream's longest request. */
const orphanGrace = 60_000
/** Objects of one commit. */
const chunk = 500

/** Writes the IPAddresses of Services from a time when addresses were not kept as objects. With storage in memory that is done when the call returns. */
export async function addMissingAddresses(server: Server): Promise<void> {
  const { storage, registry, random, clock } = server
  const writes = storage.list(listPrefix(registry.served(services), undefined)).items.flatMap(({ value }) =>
    clusterAddresses(value).flatMap((address) => {
      const key = objectKey(registry.served(ipAddresses), undefined, address)
      if (storage.get(key) !== undefined) return []
      const object = ipAddressOf(address, value, random.uuid(), clock.now())
      const managedFields = ownedAsCreatedNow(server, ipAddresses, object)
      return [{ key, expected: 0, make: (revision: number) => stamped(object, revision, managedFields) }]
    }),
  )
  for (let at = 0; at < writes.length; at += chunk) await storage.commit(writes.slice(at, at + chunk))
}

interface Finding {
  readonly reason: string
  readonly action: "ClusterIPAllocation" | "IPAddressAllocation"
  readonly note: string
}

/**
 * Keeps Services and the IPAddresses of their addresses in agreement: recreates what a user deletes or changes, and deletes what the server is said to
 * manage and no Service has. IPAddresses that users reserve addresses with are left alone. Works on one address at a time, until disposed.
 */
export class AddressRepair {
  readonly #server: Server
  readonly #serve: Serve
  /** Addresses to repair, each with the key of the Service that may have it. */
  readonly #queue = new Map<string, string | undefined>()
  readonly #held = new DisposableStack()
  /** By address: the timer of the next check. */
  readonly #waiting = new Map<string, Disposable>()
  #working = false

  constructor(server: Server, serve: Serve) {
    this.#server = server
    this.#serve = serve
    const { storage, registry } = server
    this.#held.defer(() => this.#waiting.forEach((waiting) => waiting[Symbol.dispose]()))
    for (const { key, value } of storage.list(listPrefix(registry.served(services), undefined)).items)
      for (const address of clusterAddresses(value)) this.#check(address, key)
    const prefix = listPrefix(registry.served(ipAddresses), undefined)
    for (const { value } of storage.list(prefix).items) this.#changed(value)
    this.#held.use(storage.watch(prefix, storage.revision, ({ value }) => this.#changed(value)))
  }

  [Symbol.dispose](): void {
    this.#held.dispose()
  }

  /** It was written or deleted; of a deletion, `value` is its last state. */
  #changed(value: KubeObject): void {
    const [address, key] = [value.metadata.name ?? "", this.#parentKey(value as IPAddress)]
    if (this.#stored(address) !== undefined || this.#hasAddress(key, address)) this.#check(address, key)
  }

  /** Most of them are as they should be, which costs no work. */
  #check(address: string, serviceKey: string | undefined): void {
    if (this.#isRight(address, serviceKey)) return
    this.#queue.set(address, serviceKey)
    if (this.#working || this.#held.disposed) return
    this.#working = true
    // The storage's watchers must not write: the work begins when all of them are notified.
    queueMicrotask(() => void this.#work())
  }

  #isRight(address: string, serviceKey: string | undefined): boolean {
    const stored = this.#stored(address)
    if (stored === undefined) return !this.#hasAddress(serviceKey, address)
    const parent = this.#parentKey(stored)
    if (serviceKey !== parent && this.#hasAddress(serviceKey, address)) return false
    return this.#hasAddress(parent, address) ? hasAllocatorLabels(stored) : !isManaged(stored)
  }

  async #work(): Promise<void> {
    for (const [address, serviceKey] of this.#queue) {
      if (this.#held.disposed) break
      this.#queue.delete(address)
      try {
        if (!this.#isRight(address, serviceKey)) await this.#repair(address, serviceKey)
      } catch (error) {
        if (this.#held.disposed) break
        this.#server.log.error("the IPAddress of a Service could not be repaired, trying again later", { address, error: messageOf(error) })
        this.#wait(address, serviceKey, retryAfter)
      }
    }
    this.#working = false
  }

  async #repair(address: string, serviceKey: string | undefined): Promise<void> {
    const stored = this.#stored(address)
    const owner = this.#hasAddress(serviceKey, address) ? this.#service(serviceKey) : undefined
    if (owner === undefined) return this.#deleteOrphan(address, stored)
    if (!this.#server.addresses.isInRange(address)) return this.#record(owner, outOfRange(address))
    const parent = stored && this.#parentKey(stored)
    if (parent !== serviceKey && this.#hasAddress(parent, address)) return this.#record(owner, takenTwice(address))
    if (stored === undefined) await this.#record(owner, notAllocated(address))
    else if (parent !== serviceKey) await this.#record(owner, wrongReference(address, owner))
    if (stored !== undefined) await this.#delete(stored)
    const { metadata, ...rest } = ipAddressOf(address, owner, "", 0)
    const { name, labels } = metadata
    await ownWrite(this.#serve, { verb: "POST", path: pathOf(ipAddresses, {}), value: { ...rest, metadata: { name, labels } } })
  }

  /** A Service that another process creates comes after its IPAddress: such a one is waited for. */
  async #deleteOrphan(address: string, stored: IPAddress | undefined): Promise<void> {
    if (stored === undefined) return
    const parent = this.#parentKey(stored)
    const hasService = this.#service(parent) !== undefined
    const left = parseTime(stored.metadata.creationTimestamp ?? "") + orphanGrace - this.#server.clock.now()
    if (parent !== undefined && !hasService && left > 0) return this.#wait(address, parent, left)
    await this.#record(stored, leaked(stored, hasService))
    await this.#delete(stored)
  }

  #wait(address: string, serviceKey: string | undefined, delay: number): void {
    this.#waiting.get(address)?.[Symbol.dispose]()
    const timer = this.#server.clock.timer(delay, "the IPAddress of a Service is checked again", () => {
      this.#waiting.delete(address)
      this.#check(address, serviceKey)
    })
    this.#waiting.set(address, timer)
  }

  #stored(address: string): IPAddress | undefined {
    const { storage, registry } = this.#server
    return storage.get(objectKey(registry.served(ipAddresses), undefined, address))?.value as IPAddress | undefined
  }

  /** The key of the Service that an IPAddress names; undefined where it names something else. */
  #parentKey(address: IPAddress): string | undefined {
    if (!namesService(address)) return undefined
    const { namespace = "", name = "" } = address.spec.parentRef
    return objectKey(this.#server.registry.served(services), namespace, name)
  }

  #service(key: string | undefined): KubeObject | undefined {
    return key === undefined ? undefined : this.#server.storage.get(key)?.value
  }

  #hasAddress(serviceKey: string | undefined, address: string): boolean {
    return clusterAddresses(this.#service(serviceKey)).includes(address)
  }

  /** The event that upstream writes; what is repaired does not depend on it. */
  async #record(regarding: KubeObject, { reason, action, note }: Finding): Promise<void> {
    const { clock, random, log } = this.#server
    const { namespace = "default", name = "", uid, resourceVersion } = regarding.metadata
    const { apiVersion, kind } = regarding
    const event: Event = {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name: `${name}.${random.letters(10)}`, namespace },
      eventTime: formatTime(clock.now()).replace("Z", ".000000Z"),
      reportingController: controllerName,
      reportingInstance: controllerName,
      type: "Warning",
      reason,
      action,
      note,
      regarding: { apiVersion, kind, name, uid, resourceVersion, namespace: regarding.metadata.namespace },
    }
    log.warn(note, { reason })
    await ownWrite(this.#serve, { verb: "POST", path: pathOf(events, { namespace }), value: event }).catch((error: unknown) =>
      log.warn("an event could not be written", { reason, error: messageOf(error) }),
    )
  }

  async #delete({ metadata }: IPAddress): Promise<void> {
    const { name = "", uid, resourceVersion } = metadata
    await ownWrite(this.#serve, { verb: "DELETE", path: pathOf(ipAddresses, { name }), value: { preconditions: { uid, resourceVersion } } })
  }
}

const allocation = "ClusterIPAllocation"

function notAllocated(address: string): Finding {
  const note = `Cluster IP [${familyOf(address)}]: ${address} is not allocated; repairing`
  return { reason: "ClusterIPNotAllocated", action: allocation, note }
}

function wrongReference(address: string, { metadata: { namespace, name } }: KubeObject): Finding {
  const note = `the ClusterIP [${familyOf(address)}]: ${address} for Service ${namespace}/${name} has a wrong reference; repairing`
  return { reason: "ClusterIPNotAllocated", action: allocation, note }
}

function outOfRange(address: string): Finding {
  const note = `Cluster IP [${familyOf(address)}]: ${address} is not within any configured Service CIDR; please recreate service`
  return { reason: "ClusterIPOutOfRange", action: allocation, note }
}

function takenTwice(address: string): Finding {
  const note = `Cluster IP [${familyOf(address)}]:${address} was assigned to multiple services; please recreate service`
  return { reason: "ClusterIPAlreadyAllocated", action: allocation, note }
}

function leaked(address: IPAddress, hasService: boolean): Finding {
  const { name = "" } = address.metadata
  const { group, resource, namespace, name: parent } = address.spec.parentRef ?? {}
  const action = "IPAddressAllocation"
  if (!namesService(address)) {
    const reference = `&ParentReference{Group:${group ?? ""},Resource:${resource},Namespace:${namespace ?? ""},Name:${parent},}`
    const note = `IPAddress ${name} appears to have been modified, not referencing a Service ${reference}: cleaning up`
    return { reason: "IPAddressNotAllocated", action, note }
  }
  return hasService
    ? {
        reason: "IPAddressWrongReference",
        action,
        note: `IPAddress: ${name} for Service ${namespace}/${parent} has a wrong reference; cleaning up`,
      }
    : {
        reason: "IPAddressNotAllocated",
        action,
        note: `IPAddress: ${name} for Service ${namespace}/${parent} appears to have leaked: cleaning up`,
      }
}
