import {
  type Amount,
  addAmounts,
  amountOf,
  amountSign,
  amountValue,
  compareAmounts,
  formatQuantity,
  parseQuantity,
  subtractAmounts,
  zeroAmount,
} from "@pilothouse/api"
import type { Device, DeviceCapacity } from "@pilothouse/api/resource/v1"
import type { Pool, PoolDevice } from "./pools.ts"

/** Amounts by the name of a capacity. */
export type Capacities = ReadonlyMap<string, Amount>

/** Returns what a share of the device consumes of each of its capacities, rounded up by their policies; undefined where it cannot be had at all. */
export function consumption({ capacity = {} }: Device, asked: Readonly<Record<string, string>>): Capacities | undefined {
  if (Object.keys(asked).some((name) => capacity[name] === undefined)) return undefined
  const taken = new Map<string, Amount>()
  for (const [name, offered] of Object.entries(capacity)) {
    const amount = consumed(offered, asked[name])
    if (breaksPolicy(amount, offered)) return undefined
    taken.set(name, amount)
  }
  return taken
}

/** Reports whether the device has these amounts beside those that are used. */
export function hasRoom({ capacity = {} }: Device, used: readonly Capacities[], more: Capacities): boolean {
  return [...more].every(([name, amount]) => {
    const sum = used.reduce((total, one) => addAmounts(total, one.get(name) ?? zeroAmount), amount)
    return compareAmounts(sum, parseQuantity(capacity[name]?.value ?? "0")) <= 0
  })
}

/** As the API has it. */
export function writtenCapacities(taken: Capacities): Readonly<Record<string, string>> {
  return Object.fromEntries([...taken].map(([name, amount]) => [name, formatQuantity(amount)]))
}

/** Without a request the default of the policy counts, or the whole. */
function consumed({ value, requestPolicy }: DeviceCapacity, asked: string | undefined): Amount {
  if (asked === undefined) return parseQuantity(requestPolicy?.default ?? value)
  const amount = parseQuantity(asked)
  const { validRange, validValues = [] } = requestPolicy ?? {}
  if (validRange !== undefined) return roundedUp(amount, parseQuantity(validRange.min), validRange.step)
  return validValues.map(parseQuantity).find((valid) => compareAmounts(amount, valid) <= 0) ?? amount
}

function roundedUp(amount: Amount, least: Amount, step: string | undefined): Amount {
  if (compareAmounts(amount, least) < 0) return least
  if (step === undefined) return amount
  const [asked, from, by] = [amountValue(amount), amountValue(least), amountValue(parseQuantity(step))]
  return by <= 0 ? amount : amountOf(from + by * Math.ceil((asked - from) / by), { format: "BinarySI" })
}

function breaksPolicy(amount: Amount, { requestPolicy }: DeviceCapacity): boolean {
  if (requestPolicy === undefined) return false
  const { validRange, validValues = [], default: usual } = requestPolicy
  if (usual !== undefined && compareAmounts(amount, parseQuantity(usual)) === 0) return false
  if (validRange !== undefined) return validRange.max !== undefined && compareAmounts(amount, parseQuantity(validRange.max)) > 0
  return validValues.length > 0 && !validValues.some((valid) => compareAmounts(amount, parseQuantity(valid)) === 0)
}

/**
 * What is left of the counters that the devices of a pool share. Invariant: #left is what they have, less what every device draws that is in use or
 * was added.
 */
export class Counters {
  readonly #left = new Map<string, Amount>()

  constructor({ counterSets, everyDevice }: Pool, isUsed: (id: string) => boolean) {
    for (const { name, counters } of counterSets)
      for (const [counter, { value }] of Object.entries(counters)) this.#left.set(`${name}/${counter}`, parseQuantity(value))
    for (const { id, device } of everyDevice) if (isUsed(id)) this.#change(device, subtractAmounts)
  }

  /** Whether the device still finds what it draws; then it counts. */
  add({ device }: PoolDevice): boolean {
    this.#change(device, subtractAmounts)
    const fits = [...drawn(device)].every(([name]) => amountSign(this.#left.get(name) ?? zeroAmount) >= 0)
    if (!fits) this.#change(device, addAmounts)
    return fits
  }

  remove({ device }: PoolDevice): void {
    this.#change(device, addAmounts)
  }

  #change(device: Device, how: (left: Amount, amount: Amount) => Amount): void {
    for (const [name, amount] of drawn(device)) this.#left.set(name, how(this.#left.get(name) ?? zeroAmount, amount))
  }
}

function* drawn({ consumesCounters = [] }: Device): Generator<readonly [string, Amount]> {
  for (const { counterSet, counters } of consumesCounters)
    for (const [counter, { value }] of Object.entries(counters)) yield [`${counterSet}/${counter}`, parseQuantity(value)]
}
