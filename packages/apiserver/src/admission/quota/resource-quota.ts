import {
  addResources,
  amountSign,
  compareAmounts,
  forbidden,
  formatQuantity,
  formatResources,
  isZeroAmount,
  type KubeObject,
  parseResources,
  type Resources,
  type StatusError,
  subtractResources,
  zeroAmount,
} from "@pilothouse/api"
import { type Pod, type ResourceQuota, resourceQuotas } from "@pilothouse/api/core/v1"
import { listPrefix } from "../../objects/key.ts"
import { stamped } from "../../objects/metadata.ts"
import type { Stored, Write } from "../../storage/storage.ts"
import type { AdmissionPlugin, Admitting } from "../plugin.ts"
import { unsaidAmounts } from "./required-amounts.ts"
import { isInScopes } from "./scopes.ts"
import { usageOf } from "./usage.ts"

/**
 * Nobody takes more of a namespace than its quotas allow.
 * What an object takes is written to the quotas in the same commit as the object, so that of two who want the last of something one is refused.
 * The quota loop counts anew what is really there, and gives back what a deleted object had.
 */
export const resourceQuota: AdmissionPlugin = {
  name: "ResourceQuota",
  charge(admitting) {
    const { call, resource, namespace, object } = admitting
    if (namespace === undefined || object === undefined || !concerns(admitting)) return []
    const { storage, registry } = call.server
    const { items } = storage.list(listPrefix(registry.of(resourceQuotas), namespace))
    if (items.length === 0) return []
    const { plural } = resource.descriptor
    return items
      .filter(({ value }) => isInScopes(value as ResourceQuota, plural, object as KubeObject))
      .flatMap((stored) => chargeOf(admitting, stored))
  },
}

const updatable: ReadonlySet<string> = new Set(["pods/resize", "services/", "persistentvolumeclaims/"])

function concerns({ operation, resource, subresource }: Admitting): boolean {
  if (operation === "CREATE") return subresource === ""
  return operation === "UPDATE" && resource.descriptor.group === "" && updatable.has(`${resource.descriptor.plural}/${subresource}`)
}

function chargeOf(admitting: Admitting, stored: Stored): readonly Write[] {
  const quota = stored.value as ResourceQuota
  const hard = Object.keys(quota.spec?.hard ?? {})
  const refuse = (why: string): StatusError => forbidden(admitting.resource.descriptor, admitting.name, why)
  const { group, plural } = admitting.resource.descriptor
  const unsaid = group === "" && plural === "pods" ? unsaidAmounts(admitting.object as Pod, hard) : undefined
  if (unsaid !== undefined) throw refuse(`failed quota: ${quota.metadata.name}: ${unsaid}`)
  const asked = askedOf(admitting, hard)
  if (asked.size === 0) return []
  const used = parseResources(quota.status?.used)
  const limits = parseResources(quota.status?.hard)
  const unknown = [...asked.keys()].filter((name) => !limits.has(name) || !used.has(name))
  if (unknown.length > 0) throw refuse(`status unknown for quota: ${quota.metadata.name}, resources: ${unknown.sort().join(",")}`)
  const over = [...asked].filter(([name, amount]) => amountSign(amount) > 0 && exceeds(name, asked, used, limits)).map(([name]) => name)
  if (over.length > 0) throw refuse(exceeded(quota.metadata.name ?? "", over, [asked, used, limits]))
  const status = { ...quota.status, used: formatResources(addResources(used, asked)) }
  return [{ key: stored.key, expected: stored.revision, make: (revision) => stamped({ ...quota, status } as KubeObject, revision) }]
}

/** What is taken more than before, of what the quota is about. */
function askedOf({ resource, object, old }: Admitting, hard: readonly string[]): Resources {
  const now = usageOf(resource, object as KubeObject)
  const change = old === undefined ? now : subtractResources(now, usageOf(resource, old))
  return new Map([...change].filter(([name, amount]) => hard.includes(name) && !isZeroAmount(amount)))
}

function exceeds(name: string, asked: Resources, used: Resources, limits: Resources): boolean {
  const total = addResources(new Map([[name, used.get(name) ?? zeroAmount]]), new Map([[name, asked.get(name)!]])).get(name)!
  return compareAmounts(total, limits.get(name)!) > 0
}

function exceeded(quota: string, names: readonly string[], [asked, used, limits]: readonly [Resources, Resources, Resources]): string {
  const shown = (amounts: Resources) =>
    [...names]
      .sort()
      .map((name) => `${name}=${formatQuantity(amounts.get(name) ?? zeroAmount)}`)
      .join(",")
  return `exceeded quota: ${quota}, requested: ${shown(asked)}, used: ${shown(used)}, limited: ${shown(limits)}`
}
