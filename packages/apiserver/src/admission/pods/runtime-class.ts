import { compareAmounts, parseQuantity } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { type RuntimeClass, runtimeClasses } from "@pilothouse/api/node/v1"
import { type Draft, draftOf } from "../../body/draft.ts"
import { readObject } from "../../registry/object-key.ts"
import { type AdmissionAttributes, type AdmissionPlugin, refusal } from "../plugin.ts"
import { mergeTolerations } from "./merge-tolerations.ts"

type Amounts = Readonly<Record<string, string>>

/** Gives a pod what its RuntimeClass costs, and where its nodes are. A pod cannot say either otherwise. */
export const runtimeClass: AdmissionPlugin = {
  name: "RuntimeClass",
  admit(attributes) {
    const spec = newSpec(attributes)
    const found = spec && classOf(attributes, spec)
    if (spec === undefined || found === undefined) return
    setOverhead(attributes, spec, found)
    setScheduling(attributes, spec, found)
  },
  validate(attributes) {
    const spec = newSpec(attributes)
    if (spec === undefined) return
    const overhead = classOf(attributes, spec)?.overhead
    if (overhead === undefined) {
      if (spec.overhead === undefined) return
      throw refusal(attributes, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead")
    }
    if (!sameAmounts(overhead.podFixed ?? {}, spec.overhead ?? {})) throw mismatch(attributes)
  },
}

type Spec = NonNullable<Draft<Pod>["spec"]>

/** Undefined for everything but a new pod that has a class or an overhead. */
function newSpec({ operation, resource, subresource, object }: AdmissionAttributes): Spec | undefined {
  const { group, plural } = resource.descriptor
  if (operation !== "CREATE" || group !== "" || plural !== "pods" || subresource !== "") return undefined
  const { spec } = object as Draft<Pod>
  return spec?.runtimeClassName === undefined && spec?.overhead === undefined ? undefined : spec
}

function classOf(attributes: AdmissionAttributes, { runtimeClassName: name }: Spec): RuntimeClass | undefined {
  if (name === undefined) return undefined
  const { storage, registry } = attributes.server
  const found = readObject(storage, registry.of(runtimeClasses), undefined, name)
  if (found === undefined) throw refusal(attributes, `pod rejected: RuntimeClass "${name}" not found`)
  return found
}

function setOverhead(attributes: AdmissionAttributes, spec: Spec, { overhead }: RuntimeClass): void {
  if (overhead === undefined) return
  const amounts = overhead.podFixed ?? {}
  if (Object.keys(spec.overhead ?? {}).length > 0 && !sameAmounts(amounts, spec.overhead ?? {})) throw mismatch(attributes)
  if (overhead.podFixed !== undefined) spec.overhead = { ...amounts }
}

function mismatch(attributes: AdmissionAttributes) {
  return refusal(attributes, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
}

function sameAmounts(left: Amounts, right: Amounts): boolean {
  const names = Object.keys(left)
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => right[name] !== undefined && compareAmounts(parseQuantity(left[name]!), parseQuantity(right[name])) === 0)
  )
}

function setScheduling(attributes: AdmissionAttributes, spec: Spec, { scheduling }: RuntimeClass): void {
  if (scheduling === undefined) return
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const own = spec.nodeSelector?.[key]
    if (own !== undefined && own !== value) {
      const conflict = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`
      throw refusal(attributes, `conflict: ${conflict}`)
    }
    spec.nodeSelector = { ...spec.nodeSelector, [key]: value }
  }
  const tolerations = mergeTolerations(spec.tolerations ?? [], (scheduling.tolerations ?? []).map(draftOf))
  if (tolerations.length > 0) spec.tolerations = tolerations
}
