import type { Pod } from "../generated/core/v1.types.ts"
import type { DeviceClass, ResourceClaim } from "../generated/resource/v1.types.ts"
import { controllerOf } from "../owners/owner-references.ts"
import { type Amount, amountSign, compareAmounts, subtractAmounts, zeroAmount } from "../quantity/amount.ts"
import type { Resources } from "../quantity/resource-list.ts"
import { parseTime } from "../text/time.ts"
import { devicesOfClass } from "./device-usage.ts"
import { implicitDevices } from "./extended-resource.ts"

/** The device classes there are, and the extended resources that they stand for. */
export interface DeviceClassNames {
  /** By class; undefined of one that stands for no more than its implicit name. */
  readonly resources: ReadonlyMap<string, string | undefined>
  /** All extended resources that some class stands for, implicit ones too. */
  readonly known: ReadonlySet<string>
}

/** Where there are no device classes. */
export const noDeviceClasses: DeviceClassNames = { resources: new Map(), known: new Set() }

/** Returns the names of device classes, and those of the extended resources that they stand for. */
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

const annotation = "resource.kubernetes.io/extended-resource-claim"

/** Where a claim's pod is found, and the other claims of that pod. */
export interface ClaimNeighbours {
  pod(namespace: string, name: string): Pod | undefined
  /** Those of a namespace whose extendedClaimPod is the pod with this uid. */
  claimsOf(namespace: string, podUid: string): readonly ResourceClaim[]
}

/** The pod for whose extended resources a claim says that the scheduler has made it. */
export function extendedClaimPod({
  metadata,
}: Pick<ResourceClaim, "metadata">): { readonly name: string; readonly uid: string } | undefined {
  if (metadata.annotations?.[annotation] !== "true") return undefined
  const owner = controllerOf({ metadata })
  return owner?.kind === "Pod" && owner.apiVersion === "v1" ? owner : undefined
}

/** That pod, if it is there and does not contradict: for its devices the pod is charged, and the claim is not. One claim of a pod only has this. */
export function podChargedFor(claim: ResourceClaim, { pod, claimsOf }: ClaimNeighbours): Pod | undefined {
  const said = extendedClaimPod(claim)
  if (said === undefined) return undefined
  const { name, namespace = "" } = claim.metadata
  const found = pod(namespace, said.name)
  if (found?.metadata.uid !== said.uid) return undefined
  const status = found.status?.extendedResourceClaimStatus
  if (status !== undefined) return status.resourceClaimName === name ? found : undefined
  return claimsOf(namespace, said.uid).some((other) => isBefore(other, claim)) ? undefined : found
}

/** Whatever is stored was there before a claim that is being made. */
function isBefore({ metadata: other }: ResourceClaim, { metadata: own }: ResourceClaim): boolean {
  if (own.resourceVersion === undefined) return true
  const [theirs, ours] = [parseTime(other.creationTimestamp ?? ""), parseTime(own.creationTimestamp ?? "")]
  return theirs < ours || (theirs === ours && (other.name ?? "") < (own.name ?? ""))
}
