import { type Amount, amountOf, amountScaledValue, compareAmounts } from "../amount.ts"
import type { PersistentVolumeClaim } from "../generated/core/v1.types.ts"
import { parseQuantity } from "../quantity-parse.ts"
import type { Resources } from "../resource-list.ts"

const classAnnotation = "volume.beta.kubernetes.io/storage-class"

/** A claim and its bytes, for the namespace and for its storage class. */
export function claimUsage(claim: PersistentVolumeClaim): Resources {
  const storageClass = claim.metadata.annotations?.[classAnnotation] ?? claim.spec?.storageClassName ?? ""
  const own = new Map<string, Amount>([["persistentvolumeclaims", amountOf(1)]])
  const bytes = storageOf(claim)
  if (bytes !== undefined) own.set("requests.storage", bytes)
  if (storageClass === "") return own
  const ofClass = [...own].map(([name, amount]) => [`${storageClass}.storageclass.storage.k8s.io/${name}`, amount] as const)
  return new Map([...own, ...ofClass])
}

/** What is asked for, or what a volume that grows has been given, if that is more. */
function storageOf({ spec, status }: PersistentVolumeClaim): Amount | undefined {
  const asked = spec?.resources?.requests?.storage
  if (asked === undefined) return undefined
  const allocated = status?.allocatedResources?.storage
  const [wanted, given] = [parseQuantity(asked), allocated === undefined ? undefined : parseQuantity(allocated)]
  return wholeBytes(given !== undefined && compareAmounts(given, wanted) > 0 ? given : wanted)
}

/** A quota of storage is in whole bytes. */
function wholeBytes(amount: Amount): Amount {
  const whole = amountOf(amountScaledValue(amount, 0), { format: amount.format })
  return compareAmounts(whole, amount) === 0 ? amount : whole
}
