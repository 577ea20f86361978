import { amountSign, type FieldError, fieldError, parseQuantity } from "@pilothouse/api"
import type { Node, NodeSpec, NodeStatus, Taint } from "@pilothouse/api/core/v1"
import { parseCidr } from "@pilothouse/api/net"
import { repeats } from "./field-rules.ts"

export function nodeErrors({ spec, status }: Node): readonly FieldError[] {
  return [...taintErrors(spec?.taints ?? []), ...cidrErrors(spec?.podCIDRs ?? []), ...resourceErrors(status)]
}

export function nodeStatusErrors(status: NodeStatus | undefined): readonly FieldError[] {
  return [...resourceErrors(status), ...addressErrors(status?.addresses ?? [])]
}

function resourceErrors(status: NodeStatus | undefined): readonly FieldError[] {
  return [...amountErrors(status?.capacity, "status.capacity"), ...amountErrors(status?.allocatable, "status.allocatable")]
}

/** Validates that the provider ID and the pod CIDRs of a node do not change once they are set. */
export function nodeUpdateErrors(spec: NodeSpec | undefined, old: NodeSpec | undefined): readonly FieldError[] {
  const [now, before] = [spec?.podCIDRs ?? [], old?.podCIDRs ?? []]
  const moved = before.length > 0 && now.join() !== before.join()
  const renamed = (old?.providerID ?? "") !== "" && spec?.providerID !== old?.providerID
  return [
    ...(moved ? [fieldError.forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid')] : []),
    ...(renamed ? [fieldError.forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid')] : []),
  ]
}

const effects: readonly string[] = ["NoSchedule", "PreferNoSchedule", "NoExecute"]

/** Upstream names them under metadata, and clients have come to know it. */
function taintErrors(taints: readonly Taint[]): readonly FieldError[] {
  const seen = new Set<string>()
  return taints.flatMap((taint, index) => {
    const field = `metadata.taints[${index}]`
    const id = `${taint.key}/${taint.effect}`
    const again = seen.has(id)
    seen.add(id)
    return [
      ...((taint.key ?? "") === "" ? [fieldError.invalid(`${field}.key`, "", "name part must be non-empty")] : []),
      ...effectErrors(taint.effect ?? "", `${field}.effect`),
      ...(again ? [fieldError.duplicate(field, taint)] : []),
    ]
  })
}

function effectErrors(effect: string, field: string): readonly FieldError[] {
  if (effect === "") return [fieldError.required(field, "")]
  return effects.includes(effect) ? [] : [fieldError.notSupported(field, effect, effects)]
}

function cidrErrors(blocks: readonly string[]): readonly FieldError[] {
  const broken = blocks.flatMap((block, index) => (parseCidr(block) !== undefined ? [] : [badCidr(block, index)]))
  const families = blocks.map((block) => block.includes(":"))
  const twice = new Set(families).size < families.length
  const text = "may specify no more than one CIDR for each IP family"
  return broken.length === 0 && twice ? [fieldError.invalid("spec.podCIDRs", blocks, text)] : broken
}

function badCidr(block: string, index: number): FieldError {
  return fieldError.invalid(`spec.podCIDRs[${index}]`, block, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")
}

function amountErrors(amounts: Readonly<Record<string, string>> | undefined, path: string): readonly FieldError[] {
  const negative = Object.entries(amounts ?? {}).filter(([, text]) => amountSign(parseQuantity(text)) < 0)
  return negative.map(([name, text]) => fieldError.invalid(`${path}.${name}`, text, "must be greater than or equal to 0"))
}

function addressErrors(addresses: readonly { readonly type: string; readonly address: string }[]): readonly FieldError[] {
  const again = repeats(addresses.map(({ type, address }) => `${type}/${address}`))
  return addresses.flatMap((address, index) => (again[index] ? [fieldError.duplicate(`status.addresses[${index}]`, address)] : []))
}
