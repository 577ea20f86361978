import { alreadyExists, type FieldError, fieldError, internalError, invalid, type KubeObject } from "@pilothouse/api"
import { type Service, type ServicePort, type ServiceSpec, services } from "@pilothouse/api/core/v1"
import { type IPAddress, ipAddresses, serviceCIDRs } from "@pilothouse/api/networking/v1"
import type { Clock, Random } from "@pilothouse/seams"
import type { Draft } from "../body/draft.ts"
import { ownedAsCreatedNow } from "../objects/owned-by-server.ts"
import { stamped } from "../objects/stamped.ts"
import { listPrefix, objectKey } from "../registry/object-key.ts"
import type { Registry } from "../registry/registry.ts"
import type { Allocations } from "../resources/resource.ts"
import type { Storage, Write } from "../storage/storage.ts"
import { addressError, addressTaken, allocated, belongsTo, clusterAddresses, ipAddressOf } from "./ip-addresses.ts"
import { canonicalRange, firstServiceAddress, type Ipv4Range, ipv4Number, ipv4Text, staticAddresses } from "./ipv4-range.ts"
import { defaultNodePorts, type PortRange, staticBand } from "./node-port-range.ts"
import { ServiceCidrs } from "./service-cidrs.ts"
import { mayHaveNodePorts, needsHealthCheck, needsNodePort } from "./service-ports.ts"

/** How often a random number is drawn before the free ones are looked through in order. */
const draws = 32
const taken = "provided port is already allocated"

interface AddressParts {
  readonly storage: Storage
  readonly registry: Registry
  readonly clock: Clock
  readonly random: Random
}

export interface AddressOptions {
  /** The range of the default ServiceCIDR, which has the address of the API. */
  readonly range: string
  readonly ports?: PortRange
}

/**
 * Which cluster addresses and node ports are in use. Addresses are given out from the ranges of ServiceCIDRs, and a Service is stored in one commit with an
 * IPAddress for each of its own.
 *
 * Invariant: `#used` holds what stored Services and IPAddresses have, and what a write under way has taken and not yet stored.
 */
export class ServiceAddresses implements Allocations {
  readonly #used = new Map<string, number>()
  /** Addresses of Services that are not stored yet. */
  readonly #inFlight = new Set<string>()
  readonly #parts: AddressParts
  readonly #cidrs: ServiceCidrs
  readonly #ports: PortRange
  /** The range of the default ServiceCIDR. */
  readonly range: string
  /** The address of the API itself. */
  readonly first: string

  constructor(parts: AddressParts, { range, ports = defaultNodePorts }: AddressOptions) {
    this.#parts = parts
    this.#ports = ports
    this.range = canonicalRange(range)
    this.first = firstServiceAddress(range)
    const { storage, registry } = parts
    this.#cidrs = new ServiceCidrs(storage, listPrefix(registry.served(serviceCIDRs), undefined))
    this.#follow(listPrefix(registry.served(services), undefined), claimsOf)
    this.#follow(listPrefix(registry.served(ipAddresses), undefined), ({ metadata }) => [ipClaim(metadata.name ?? "")])
  }

  #follow(prefix: string, claims: (object: KubeObject) => readonly string[]): void {
    const { storage } = this.#parts
    for (const { value } of storage.list(prefix).items) this.#count(claims(value), 1)
    storage.watch(prefix, storage.revision, ({ type, value, previous }) => {
      if (type === "put") this.#count(claims(value), 1)
      if (previous) this.#count(claims(previous.value), -1)
    })
  }

  /** Whether a ServiceCIDR has the address, whatever becomes of it. */
  isInRange(address: string): boolean {
    const number = ipv4Number(address)
    return number !== undefined && this.#cidrs.contains(number)
  }

  ipAddressWrites(service: KubeObject | undefined, old: KubeObject | undefined): readonly Write[] {
    const [now, before] = [clusterAddresses(service), clusterAddresses(old)]
    if (now.length === before.length && now.every((address, index) => address === before[index])) return []
    return [
      ...now.filter((address) => !before.includes(address)).map((address) => this.#creation(address, service!)),
      ...before.filter((address) => !now.includes(address)).flatMap((address) => this.#deletion(address, old!)),
    ]
  }

  #creation(address: string, service: KubeObject): Write {
    const { storage, random, clock } = this.#parts
    const key = this.#keyOf(address)
    if (storage.get(key) !== undefined) throw addressTaken(service, address)
    const object = ipAddressOf(address, service, random.uuid(), clock.now())
    const managedFields = ownedAsCreatedNow(this.#parts, ipAddresses, object)
    return { key, expected: 0, make: (revision) => stamped(object, revision, managedFields) }
  }

  /** Nothing where it is gone, or another's by now. */
  #deletion(address: string, service: KubeObject): readonly Write[] {
    const key = this.#keyOf(address)
    const stored = this.#parts.storage.get(key)
    if (stored === undefined || !belongsTo(stored.value as IPAddress, service)) return []
    return [{ key, expected: stored.revision, deletes: true, make: (revision) => stamped(stored.value, revision) }]
  }

  #keyOf(address: string): string {
    return objectKey(this.#parts.registry.served(ipAddresses), undefined, address)
  }

  refuseInFlight(address: string): void {
    if (this.#inFlight.has(address)) throw alreadyExists(ipAddresses, address)
  }

  /** Gives a service what it needs and takes what it asks for. */
  reserve(service: Draft<Service>, old: Service | undefined): Disposable {
    const before = new Set(old === undefined ? [] : claimsOf(old))
    const held: string[] = []
    const addresses: string[] = []
    const release = () => {
      this.#count(held.splice(0), -1)
      for (const address of addresses.splice(0)) this.#inFlight.delete(address)
    }
    const take = (claim: string) => {
      this.#count([claim], 1)
      held.push(claim)
    }
    try {
      this.#refuse(service, before, old === undefined)
      this.#refuseHealthPort(service.spec, old?.spec)
      for (const claim of claimsOf(service as KubeObject)) if (!before.has(claim)) take(claim)
      if (service.spec) this.#fill(service, needsAddress(old), take)
      for (const address of clusterAddresses(service as KubeObject)) {
        if (before.has(ipClaim(address))) continue
        addresses.push(address)
        this.#inFlight.add(address)
      }
    } catch (error) {
      release()
      throw error
    }
    return { [Symbol.dispose]: release }
  }

  #count(claims: readonly string[], by: number): void {
    for (const claim of claims) {
      const count = (this.#used.get(claim) ?? 0) + by
      if (count > 0) this.#used.set(claim, count)
      else this.#used.delete(claim)
    }
  }

  #refuse({ metadata, spec = {} }: Draft<Service>, before: ReadonlySet<string>, isNew: boolean): void {
    const ports = mayHaveNodePorts(spec) ? (spec.ports ?? []) : []
    const causes = [...this.#addressErrors(spec, before), ...this.#portErrors(ports, before, isNew)]
    if (causes.length > 0) throw invalid(services, metadata.name ?? "", causes)
  }

  #addressErrors(spec: Draft<ServiceSpec>, before: ReadonlySet<string>): readonly FieldError[] {
    const address = spec.clusterIPs?.[0] ?? ""
    if (address === "" || address === "None" || before.has(ipClaim(address)) || spec.type === "ExternalName") return []
    const number = ipv4Number(address)
    if (number === undefined)
      return [fieldError.invalid("spec.clusterIPs[0]", address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")]
    if (!this.#cidrs.isAllocatable(number)) return [addressError(address, "the provided network does not match the current range")]
    return this.#used.has(ipClaim(address)) ? [addressError(address, allocated)] : []
  }

  /** As upstream: a new Service may have a number twice only for one port over several protocols; one that changes, for any two of them. */
  #portErrors(ports: readonly Draft<ServicePort>[], before: ReadonlySet<string>, isNew: boolean): readonly FieldError[] {
    const seen = new Map<number, Set<unknown>>()
    return ports.flatMap(({ nodePort = 0, port, protocol }, index) => {
      const [own, same] = [isNew ? port : protocol, seen.get(nodePort) ?? new Set()]
      const twice = isNew ? same.size > (same.has(own) ? 1 : 0) : same.has(own)
      seen.set(nodePort, same.add(own))
      if (nodePort === 0 || (before.has(portClaim(nodePort)) && !twice)) return []
      const fault = twice ? taken : this.#portFault(nodePort)
      return fault === undefined ? [] : [fieldError.invalid(`spec.ports[${index}].nodePort`, nodePort, fault)]
    })
  }

  #portFault(port: number): string | undefined {
    const { first, last } = this.#ports
    if (port < first || port > last) return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`
    return this.#used.has(portClaim(port)) ? taken : undefined
  }

  /** Upstream's, with its status 500. An address that is there already may not change, which validation reports later. */
  #refuseHealthPort(spec: Draft<ServiceSpec> = {}, old: ServiceSpec = {}): void {
    const { healthCheckNodePort: port = 0, ports = [] } = spec
    if (port === 0 || !needsHealthCheck(spec) || needsHealthCheck(old)) return
    const own = ports.some(({ nodePort }) => nodePort === port)
    const fault = own ? taken : this.#portFault(port)
    if (fault !== undefined) throw internalError(`failed to allocate requested HealthCheck NodePort ${port}: ${fault}`)
  }

  #fill({ metadata, spec = {} }: Draft<Service>, getsAddress: boolean, take: (claim: string) => void): void {
    if (spec.type !== "ExternalName" && getsAddress && (spec.clusterIPs ?? []).length === 0) {
      const address = this.#freeAddress(metadata.name ?? "")
      take(ipClaim(address))
      spec.clusterIP = address
      spec.clusterIPs = [address]
    }
    if (needsNodePort(spec)) this.#fillPorts(spec, take)
    if (needsHealthCheck(spec) && (spec.healthCheckNodePort ?? 0) === 0) {
      spec.healthCheckNodePort = this.#freePort()
      take(portClaim(spec.healthCheckNodePort))
    }
  }

  /** One number for a port that is there over several protocols. */
  #fillPorts({ ports = [] }: Draft<ServiceSpec>, take: (claim: string) => void): void {
    const numbers = new Map<number, number>()
    for (const { port, nodePort = 0 } of ports) if (nodePort !== 0 && !numbers.has(port)) numbers.set(port, nodePort)
    for (const port of ports) {
      if ((port.nodePort ?? 0) !== 0) continue
      const twin = numbers.get(port.port)
      port.nodePort = twin ?? this.#freePort()
      if (twin !== undefined) continue
      numbers.set(port.port, port.nodePort)
      take(portClaim(port.nodePort))
    }
  }

  /** From behind the addresses that are left to Services which ask for a certain one; from those when there are no others. */
  #freeAddress(service: string): string {
    for (const range of this.#cidrs.ready()) {
      const found = this.#freeIn(range)
      if (found !== undefined) return ipv4Text(found)
    }
    throw internalError(`failed to allocate a serviceIP for Service ${JSON.stringify(service)}: range is full`)
  }

  #freeIn(range: Ipv4Range): number | undefined {
    const [start, left] = [range.first + 1, staticAddresses(range)]
    const isUsed = (number: number) => this.#used.has(ipClaim(ipv4Text(number)))
    return this.#free(start + left, range.size - 2 - left, isUsed) ?? this.#free(start, left, isUsed)
  }

  /** From behind the band too. */
  #freePort(): number {
    const { first, last } = this.#ports
    const start = first + staticBand(this.#ports)
    const isUsed = (number: number) => this.#used.has(portClaim(number))
    const port = this.#free(start, last - start + 1, isUsed) ?? this.#free(first, start - first, isUsed)
    if (port === undefined) throw internalError("failed to allocate a nodePort: range is full")
    return port
  }

  #free(start: number, count: number, isUsed: (number: number) => boolean): number | undefined {
    if (count <= 0) return undefined
    for (let draw = 0; draw < draws; draw++) {
      const number = start + this.#parts.random.int(count)
      if (!isUsed(number)) return number
    }
    for (let number = start; number < start + count; number++) if (!isUsed(number)) return number
    return undefined
  }
}

/** A Service without an address that was of a type which has one was created by a write of its status; upstream gives it none later. */
function needsAddress(old: Service | undefined): boolean {
  return old?.spec === undefined || old.spec.type === "ExternalName"
}

function ipClaim(address: string): string {
  return `ip ${address}`
}

/** Whatever the protocol: only one Service has a number, and may have it for several of them. */
function portClaim(port: number): string {
  return `port ${port}`
}

function claimsOf(service: KubeObject): readonly string[] {
  const { spec } = service as Service
  if (spec === undefined || spec.type === "ExternalName") return []
  const addresses = clusterAddresses(service).map(ipClaim)
  const ports = (spec.ports ?? []).filter(({ nodePort = 0 }) => nodePort !== 0).map(({ nodePort = 0 }) => portClaim(nodePort))
  const health = (spec.healthCheckNodePort ?? 0) === 0 ? [] : [portClaim(spec.healthCheckNodePort ?? 0)]
  return [...new Set([...addresses, ...ports, ...health])]
}
