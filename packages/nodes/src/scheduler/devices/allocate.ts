import type { Node } from "@pilothouse/api/core/v1"
import type { AllocationResult, Device, DeviceClass, DeviceTaint, DeviceToleration, ResourceClaim } from "@pilothouse/api/resource/v1"
import { allocationResult, type Chosen } from "./allocation-result.ts"
import { type Capacities, Counters, consumption, hasRoom } from "./capacity.ts"
import { Constraint } from "./constraints.ts"
import type { Pool, PoolDevice } from "./pools.ts"
import { type Alternative, alternativesOf, DeviceError, keyOf } from "./requests.ts"
import type { SearchBudget } from "./search-budget.ts"

/** The devices that claims have already. */
export interface DevicesInUse {
  isTaken(id: string): boolean
  /** What the shares of a device that several may have take of it; none: nothing has one. */
  shares(id: string): readonly Capacities[]
}

/** What an allocation on one node depends on. */
export interface AllocateOptions {
  readonly node: Node
  readonly pools: readonly Pool[]
  readonly claims: readonly ResourceClaim[]
  readonly inUse: DevicesInUse
  classOf(name: string): DeviceClass | undefined
  /** For the searches on all nodes together. */
  readonly budget: SearchBudget
}

/** Devices of one claim, as the API bounds them. */
const maxResults = 32
/** Devices that are tried on each node besides the budget: each once for all that is asked for, of as many as a node has. */
const maxFreeTries = 2000

/**
 * Finds devices for all claims on the node: depth first, each request by each of its devices in the order of the pools, and back where that leads nowhere.
 * Undefined: there are none. Throws a DeviceError where a claim or class is at fault.
 */
export function allocate(options: AllocateOptions): readonly AllocationResult[] | undefined {
  return new Search(options).run()
}

/** The search of one allocation. Invariant: #taken, #constraints, #counters and #shares are those of the devices in #chosen. */
class Search {
  readonly #options: AllocateOptions
  readonly #requests: readonly (readonly (readonly Alternative[])[])[]
  readonly #constraints: readonly (readonly Constraint[])[]
  readonly #devices: readonly PoolDevice[]
  readonly #chosen: Chosen[][]
  /** The claims that have each device. */
  readonly #taken = new Map<string, Set<number>>()
  readonly #shares = new Map<string, Capacities[]>()
  readonly #counters = new Map<Pool, Counters>()
  readonly #selected = new Map<Alternative, Map<PoolDevice, boolean>>()
  readonly #consumed = new Map<Alternative, Map<Device, Capacities | undefined>>()
  readonly #all = new Map<Alternative, readonly PoolDevice[]>()
  /** Tries that are left before they count against the budget. */
  #free: number
  #shareCount = 0

  constructor(options: AllocateOptions) {
    const { claims, pools, classOf } = options
    this.#options = options
    this.#requests = claims.map((claim) => alternativesOf(claim, classOf))
    this.#constraints = claims.map(({ spec }) => (spec.devices?.constraints ?? []).map((one) => new Constraint(one)))
    this.#devices = pools.flatMap(({ devices }) => devices)
    this.#chosen = claims.map(() => [])
    const asked = this.#requests.flat(2).reduce((sum, { count = 1 }) => sum + Math.min(count, maxResults), 0)
    this.#free = Math.min(this.#devices.length * asked, maxFreeTries)
  }

  run(): readonly AllocationResult[] | undefined {
    const { claims, node } = this.#options
    this.#checkAll()
    if (!this.#next(0, 0)) return undefined
    return claims.map((claim, at) => allocationResult(claim, this.#chosen[at]!, node))
  }

  /** All devices that match must be known before any is taken: a pool that changes may have more of them. */
  #checkAll(): void {
    for (const [at, requests] of this.#requests.entries())
      for (const alternative of requests.flat())
        if (alternative.count === undefined) this.#all.set(alternative, this.#everyMatch(this.#options.claims[at]!, alternative))
        else if (alternative.count > maxResults && requests.some((one) => one.length === 1 && one[0] === alternative))
          throw new DeviceError(
            `claim ${keyOf(this.#options.claims[at]!)}: number of requested devices ${alternative.count} exceeds the claim limit of ${maxResults}`,
          )
  }

  #everyMatch(claim: ResourceClaim, alternative: Alternative): readonly PoolDevice[] {
    const unusable = this.#options.pools.find((pool) => pool.unusable !== undefined)
    if (unusable !== undefined) {
      const state = unusable.unusable === "incomplete" ? "being updated" : "invalid"
      throw new DeviceError(
        `claim ${keyOf(claim)}, request ${alternative.name}: asks for all devices, but resource pool ${unusable.id} is currently ${state}`,
      )
    }
    return this.#devices.filter((device) => this.#isSelected(claim, alternative, device))
  }

  #next(claim: number, request: number): boolean {
    const requests = this.#requests[claim]
    if (requests === undefined) return true
    const alternatives = requests[request]
    if (alternatives === undefined) return this.#next(claim + 1, 0)
    return alternatives.some((alternative) => this.#take({ claim, request, alternative }, 0, 0))
  }

  /** Takes the devices of a request from the one at `first` on: their order within a request makes no difference. */
  #take(place: Place, taken: number, first: number): boolean {
    const { claim, request, alternative } = place
    const all = this.#all.get(alternative)
    const wanted = all?.length ?? alternative.count ?? 0
    if (all?.length === 0) return false
    if (taken === wanted) return this.#next(claim, request + 1)
    if (this.#chosen[claim]!.length + wanted - taken > maxResults) return false
    const candidates = all ?? this.#devices
    const last = all === undefined ? candidates.length : taken + 1
    for (let at = all === undefined ? first : taken; at < last; at++) {
      const device = candidates[at]!
      this.#spend(1)
      const undo = this.#add(place, device)
      if (undo === undefined) continue
      if (this.#take(place, taken + 1, at + 1)) return true
      undo()
    }
    return false
  }

  #spend(units: number): void {
    this.#free -= units
    if (this.#free < 0 && !this.#options.budget.mayTry(Math.min(units, -this.#free)))
      throw new DeviceError(`node ${this.#options.node.metadata.name}: timed out trying to allocate devices`)
  }

  /** Takes a device, and returns how to give it back; undefined: it cannot be had. */
  #add({ claim, alternative }: Place, device: PoolDevice): (() => void) | undefined {
    const { claims } = this.#options
    const isShared = device.device.allowMultipleAllocations === true
    if (!isShared && this.#isTaken(claim, alternative, device)) return undefined
    if (!this.#isSelected(claims[claim]!, alternative, device)) return undefined
    if (!isTolerated(device.device.taints ?? [], alternative.tolerations ?? [])) return undefined
    const share = this.#shareOf(alternative, device)
    if (share === undefined) return undefined
    const undo: (() => void)[] = []
    const back = () => undo.reverse().forEach((step) => void step())
    if (!this.#draw(device, isShared, undo) || !this.#constrain(claim, alternative, device, undo)) {
      back()
      return undefined
    }
    this.#note(claim, device, isShared, share, undo)
    const { uid = "" } = claims[claim]!.metadata
    this.#chosen[claim]!.push({
      alternative,
      device,
      ...(isShared && { share: { id: shareId(uid, ++this.#shareCount), capacities: share } }),
    })
    undo.push(() => this.#chosen[claim]!.pop())
    return back
  }

  /** One that only looks at a device may look at one that others have, but once for a claim. */
  #isTaken(claim: number, { isAdmin }: Alternative, { id }: PoolDevice): boolean {
    const mine = this.#taken.get(id)
    return isAdmin ? mine?.has(claim) === true : this.#options.inUse.isTaken(id) || (mine?.size ?? 0) > 0
  }

  /** What a request takes of the capacities of the device; undefined where it has not enough. */
  #shareOf(alternative: Alternative, { id, device }: PoolDevice): Capacities | undefined {
    const share = this.#consumption(alternative, device)
    if (share === undefined) return undefined
    const used = device.allowMultipleAllocations ? [...this.#options.inUse.shares(id), ...(this.#shares.get(id) ?? [])] : []
    this.#spend(used.length)
    return hasRoom(device, used, share) ? share : undefined
  }

  /** Independent of what was taken before. */
  #consumption(alternative: Alternative, device: Device): Capacities | undefined {
    const known = this.#consumed.get(alternative) ?? new Map<Device, Capacities | undefined>()
    this.#consumed.set(alternative, known)
    if (!known.has(device)) known.set(device, consumption(device, alternative.capacity))
    return known.get(device)
  }

  /** Counters that the devices of the pool share. A further share of a device draws nothing more. */
  #draw(device: PoolDevice, isShared: boolean, undo: (() => void)[]): boolean {
    const { inUse } = this.#options
    if ((device.device.consumesCounters ?? []).length === 0) return true
    const isUsed = (id: string) => inUse.isTaken(id) || inUse.shares(id).length > 0
    if (isShared && (isUsed(device.id) || (this.#shares.get(device.id) ?? []).length > 0)) return true
    const counters = this.#counters.get(device.pool) ?? new Counters(device.pool, isUsed)
    this.#counters.set(device.pool, counters)
    if (!counters.add(device)) return false
    undo.push(() => counters.remove(device))
    return true
  }

  #constrain(claim: number, alternative: Alternative, device: PoolDevice, undo: (() => void)[]): boolean {
    return this.#constraints[claim]!.every((constraint) => {
      const fits = constraint.add(alternative, device)
      if (fits) undo.push(() => constraint.remove(alternative))
      return fits
    })
  }

  #note(claim: number, { id }: PoolDevice, isShared: boolean, share: Capacities, undo: (() => void)[]): void {
    if (isShared) {
      const shares = this.#shares.get(id) ?? []
      this.#shares.set(id, shares)
      shares.push(share)
      undo.push(() => shares.pop())
      return
    }
    const owners = this.#taken.get(id) ?? new Set<number>()
    this.#taken.set(id, owners)
    owners.add(claim)
    undo.push(() => owners.delete(claim))
  }

  /** Independent of what was taken before: evaluated once for a device. */
  #isSelected(claim: ResourceClaim, alternative: Alternative, device: PoolDevice): boolean {
    const known = this.#selected.get(alternative) ?? new Map<PoolDevice, boolean>()
    this.#selected.set(alternative, known)
    const found = known.get(device)
    if (found !== undefined) return found
    const { deviceClass, selectors } = alternative
    // What has to be made ready first is not waited for: such devices are left alone, as upstream does without DRADeviceBindingConditions.
    const matches =
      (device.device.bindingConditions ?? []).length === 0 &&
      this.#areMet(deviceClass.spec.selectors ?? [], device, `class ${deviceClass.metadata.name}`) &&
      this.#areMet(selectors, device, `claim ${keyOf(claim)}`)
    known.set(device, matches)
    return matches
  }

  #areMet(selectors: Alternative["selectors"], device: PoolDevice, whose: string): boolean {
    return selectors.every(({ cel }, at) => {
      try {
        return this.#options.budget.selects(cel?.expression ?? "", device)
      } catch (error) {
        throw new DeviceError(`${whose}: selector #${at}: CEL runtime error: ${error instanceof Error ? error.message : String(error)}`)
      }
    })
  }
}

/** The uid of the claim with the number of the share in its first eight digits: no other claim has it, and no other share of this one. */
function shareId(uid: string, count: number): string {
  return `${count.toString(16).padStart(8, "0")}${uid.slice(8)}`
}

interface Place {
  readonly claim: number
  readonly request: number
  readonly alternative: Alternative
}

function isTolerated(taints: readonly DeviceTaint[], tolerations: readonly DeviceToleration[]): boolean {
  return taints.every((taint) => taint.effect === "None" || tolerations.some((toleration) => tolerates(toleration, taint)))
}

function tolerates({ effect, key, operator = "Equal", value = "" }: DeviceToleration, taint: DeviceTaint): boolean {
  if ((effect && effect !== taint.effect) || (key && key !== taint.key)) return false
  return operator === "Exists" || value === (taint.value ?? "")
}
