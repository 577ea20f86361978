import { type FieldError, fieldError, internalError, invalid, type KubeObject } from "@pilothouse/api"
import { type Service, type ServicePort, type ServiceSpec, services } from "@pilothouse/api/core/v1"
import { formatIp, lastIn, parseCidr, parseIp } from "@pilothouse/api/net"
import { PilothouseError, type Random } from "@pilothouse/seams"
import type { Draft } from "../body/draft.ts"
import type { Storage } from "../storage/storage.ts"
import { defaultNodePorts, type PortRange, staticBand } from "./node-port-range.ts"
import { mayHaveNodePorts, needsHealthCheck, needsNodePort } from "./service-ports.ts"

const prefix = "/registry/services/"
/** How often a random number is drawn before the free ones are looked through in order. */
const draws = 32
const taken = "provided port is already allocated"

/**
 * Which cluster addresses and node ports are in use.
 *
 * Always true between calls: `#used` holds what the stored services have, and what a write under way has taken and not yet stored.
 */
export class ServiceAddresses {
  readonly #used = new Map<string, number>()
  readonly #range: Ipv4Range
  readonly #ports: PortRange
  readonly #random: Random

  constructor(
    storage: Storage,
    random: Random,
    { range, ports = defaultNodePorts }: { readonly range: string; readonly ports?: PortRange },
  ) {
    this.#range = ipv4Range(range)
    this.#ports = ports
    this.#random = random
    for (const { value } of storage.list(prefix).items) this.#count(claimsOf(value), 1)
    storage.watch(prefix, storage.revision, ({ type, value, previous }) => {
      if (type === "put") this.#count(claimsOf(value), 1)
      if (previous) this.#count(claimsOf(previous.value), -1)
    })
  }

  /** The address of the API itself. */
  get first(): string {
    return ipv4Text(this.#range.first + 1)
  }

  /** Gives a service what it needs and takes what it asks for. Disposed when the write is over: what was stored is then known from there. */
  reserve(service: Draft<Service>, old: Service | undefined): Disposable {
    const before = new Set(old === undefined ? [] : claimsOf(old))
    const held: string[] = []
    const release = () => this.#count(held.splice(0), -1)
    const take = (claim: string) => {
      this.#count([claim], 1)
      held.push(claim)
    }
    try {
      this.#refuse(service, before, old === undefined)
      this.#refuseHealthPort(service.spec, old?.spec)
      for (const claim of claimsOf(service as KubeObject)) if (!before.has(claim)) take(claim)
      if (service.spec) this.#fill(service.spec, take)
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
    const parsed = parseIp(address)
    if (parsed?.family !== 4)
      return [fieldError.invalid("spec.clusterIPs[0]", address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")]
    const fault = this.#addressFault(Number(parsed.value), address)
    return fault === undefined ? [] : [fieldError.invalid("spec.clusterIPs", [address], fault)]
  }

  #addressFault(number: number, address: string): string | undefined {
    const { first, size } = this.#range
    if (number <= first || number >= first + size - 1) {
      return `failed to allocate IP ${address}: the provided network does not match the current range`
    }
    return this.#used.has(ipClaim(address)) ? `failed to allocate IP ${address}: provided IP is already allocated` : undefined
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

  #fill(spec: Draft<ServiceSpec>, take: (claim: string) => void): void {
    if (spec.type !== "ExternalName") {
      if ((spec.clusterIPs ?? []).length === 0) {
        const address = this.#freeAddress()
        take(ipClaim(address))
        spec.clusterIP = address
        spec.clusterIPs = [address]
      }
      spec.ipFamilies ??= ["IPv4"]
      spec.ipFamilyPolicy ??= "SingleStack"
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

  /** From behind the band that is left to those who ask for a certain address. */
  #freeAddress(): string {
    const { first, size } = this.#range
    const band = Math.min(Math.max(16, Math.floor(size / 16)), 256)
    const start = band < size - 2 ? band : 1
    const number = this.#free(start, size - 1 - start, (offset) => this.#used.has(ipClaim(ipv4Text(first + offset))))
    const found = number ?? this.#free(1, start - 1, (offset) => this.#used.has(ipClaim(ipv4Text(first + offset))))
    if (found === undefined) throw internalError("failed to allocate a serviceIP: range is full")
    return ipv4Text(first + found)
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
      const number = start + this.#random.int(count)
      if (!isUsed(number)) return number
    }
    for (let number = start; number < start + count; number++) if (!isUsed(number)) return number
    return undefined
  }
}

/** A block of IPv4 addresses, as numbers: most of them are counted in, and none is above 2^32. */
interface Ipv4Range {
  readonly first: number
  readonly size: number
}

function ipv4Range(text: string): Ipv4Range {
  const block = parseCidr(text)
  if (block?.family !== 4 || block.prefixLength > 30)
    throw new PilothouseError("INVALID", `expected an IPv4 range such as "10.96.0.0/12", found ${JSON.stringify(text)}`)
  return { first: Number(block.base), size: Number(lastIn(block) - block.base) + 1 }
}

function ipv4Text(number: number): string {
  return formatIp({ family: 4, value: BigInt(number) })
}

/** The address by which pods reach the API: the first one of the range of Services. */
export function firstServiceAddress(range: string): string {
  return ipv4Text(ipv4Range(range).first + 1)
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
  const addresses = (spec.clusterIPs ?? []).filter((address) => address !== "None" && address !== "").map(ipClaim)
  const ports = (spec.ports ?? []).filter(({ nodePort = 0 }) => nodePort !== 0).map(({ nodePort = 0 }) => portClaim(nodePort))
  const health = (spec.healthCheckNodePort ?? 0) === 0 ? [] : [portClaim(spec.healthCheckNodePort ?? 0)]
  return [...new Set([...addresses, ...ports, ...health])]
}
