import type { DeviceClass } from "../generated/resource/v1.types.ts"
import { type Amount, amountSign, compareAmounts, subtractAmounts, zeroAmount } from "../quantity/amount.ts"
import type { Resources } from "../quantity/resource-list.ts"
import { devicesOfClass } from "./device-usage.ts"
import { implicitDevices } from "./extended-resource.ts"

/** The device classes there are, and the extended resources that they stand for. */
export interface DeviceClassNames {
  /** By class; undefined of one that stands for no more than its implicit name. */
  readonly resources: ReadonlyMap<string, string | undefined>
  /** All extended resources that some class stands for, implicit ones too. */
  readonly known: ReadonlySet<string>
}

export const noDeviceClasses: DeviceClassNames = { resources: new Map(), known: new Set() }

export function deviceClassNames(classes: readonly Pick<DeviceClass, "metadata" | "spec">[]): DeviceClassNames {
  const resources = new Map(classes.map(({ metadata, spec }) => [metadata.name ?? "", spec.extendedResourceName] as const))
  const implicit = [...resources.keys()].map((name) => `${implicitDevices}${name}`)
  return { resources, known: new Set([...implicit, ...[...resources.values()].filter((name) => name !== undefined)]) }
}

/**
 * The devices of a claim under the names of extended resources: a claim for devices draws on the same quota as a pod that asks for
 * "example.com/gpu". What the pod of the claim is charged with already is left out. The implicit name counts even where the class does not exist.
 */
export function extendedDeviceUsage(devices: Resources, { resources }: DeviceClassNames, charged: Resources): Resources {
  const usage = new Map<string, Amount>()
  // Two classes that stand for one resource: upstream takes one of them by chance, we the dearer.
  const atLeast = (name: string, amount: Amount) => {
    if (compareAmounts(amount, usage.get(name) ?? zeroAmount) > 0) usage.set(name, amount)
  }
  for (const [name, amount] of devices) {
    const deviceClass = name.slice(0, -devicesOfClass.length)
    if (deviceClass === "") continue
    atLeast(`requests.${implicitDevices}${deviceClass}`, amount)
    const resource = resources.get(deviceClass)
    if (resource !== undefined) atLeast(`requests.${resource}`, amount)
  }
  const rest = [...usage].map(([name, amount]) => [name, subtractAmounts(amount, charged.get(name) ?? zeroAmount)] as const)
  return new Map(rest.filter(([, amount]) => amountSign(amount) > 0))
}
