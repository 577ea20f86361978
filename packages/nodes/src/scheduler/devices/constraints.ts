import type { DeviceAttribute, DeviceConstraint } from "@pilothouse/api/resource/v1"
import type { PoolDevice } from "./pools.ts"
import type { Alternative } from "./requests.ts"

/** The values of one attribute among the devices that are taken for a claim. Invariant: #values has those of the devices that were added and not removed. */
export class Constraint {
  readonly #attribute: string
  readonly #isDistinct: boolean
  readonly #requests: ReadonlySet<string>
  readonly #values: string[] = []

  constructor({ matchAttribute, distinctAttribute, requests = [] }: DeviceConstraint) {
    this.#attribute = matchAttribute ?? distinctAttribute ?? ""
    this.#isDistinct = matchAttribute === undefined
    this.#requests = new Set(requests)
  }

  /** Whether the device may be taken beside the others; then it counts. A device without the attribute may not. */
  add(of: Alternative, device: PoolDevice): boolean {
    if (!this.#concerns(of)) return true
    const value = attributeOf(device, this.#attribute)
    if (value === undefined) return false
    const isKnown = this.#values.includes(value)
    if (this.#isDistinct ? isKnown : !isKnown && this.#values.length > 0) return false
    this.#values.push(value)
    return true
  }

  /** Undoes the last `add` that was true. */
  remove(of: Alternative): void {
    if (this.#concerns(of)) this.#values.pop()
  }

  #concerns({ name, request }: Alternative): boolean {
    return this.#requests.size === 0 || this.#requests.has(request) || this.#requests.has(name)
  }
}

/** A name without a domain is the driver's. Values of two types are never equal. */
function attributeOf({ device, slice }: PoolDevice, name: string): string | undefined {
  const [domain, id = ""] = [name.slice(0, Math.max(name.indexOf("/"), 0)), name.slice(name.indexOf("/") + 1)]
  const found = device.attributes?.[name] ?? (domain === slice.spec.driver ? device.attributes?.[id] : undefined)
  return found && textOf(found)
}

function textOf({ string, int, bool, version }: DeviceAttribute): string | undefined {
  if (string !== undefined) return `string ${string}`
  if (int !== undefined) return `int ${int}`
  if (bool !== undefined) return `bool ${bool}`
  return version === undefined ? undefined : `version ${version}`
}
