import type { Pod } from "@pilothouse/api/core/v1"
import { type PriorityClass, priorityClasses } from "@pilothouse/api/scheduling/v1"
import type { Draft } from "../../body/draft.ts"
import { readObject } from "../../registry/object-key.ts"
import { type AdmissionAttributes, type AdmissionPlugin, type AdmissionServer, refusal } from "../plugin.ts"

/** Resolves the name of a PriorityClass to the priority that the scheduler compares. */
export const priority: AdmissionPlugin = {
  name: "Priority",
  admit(attributes) {
    const { operation, resource, subresource, object } = attributes
    if (resource.descriptor.plural === "priorityclasses" && operation !== "DELETE") refuseSecondDefault(attributes)
    if (resource.descriptor.group !== "" || resource.descriptor.plural !== "pods" || subresource !== "") return
    const { spec } = (object ?? {}) as Draft<Pod>
    if (spec === undefined) return
    if (operation === "CREATE") setPriority(attributes, spec)
    else if (operation === "UPDATE") keepPriority(spec, attributes.old as Pod)
  },
}

/** A pod that names no class gets the global default, of which a cluster has at most one. */
function refuseSecondDefault(attributes: AdmissionAttributes): void {
  const { server, name, object } = attributes
  if ((object as Draft<PriorityClass> | undefined)?.globalDefault !== true) return
  const other = classOf(server, "")
  if (other === undefined || other.metadata.name === name) return
  throw refusal(attributes, `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`)
}

type Spec = NonNullable<Draft<Pod>["spec"]>

function setPriority(attributes: AdmissionAttributes, spec: Spec): void {
  const found = classOf(attributes.server, spec.priorityClassName ?? "")
  if (found === undefined && (spec.priorityClassName ?? "") !== "") {
    throw refusal(attributes, `no PriorityClass with name ${spec.priorityClassName} was found`)
  }
  const { value, policy } = { value: found?.value ?? 0, policy: found?.preemptionPolicy ?? "PreemptLowerPriority" }
  const from = "must not be provided in pod spec; priority admission controller computed"
  if (spec.priority !== undefined && spec.priority !== value) {
    throw refusal(attributes, `the integer value of priority (${spec.priority}) ${from} ${value} from the given PriorityClass name`)
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
    const said = `the string value of PreemptionPolicy (${spec.preemptionPolicy})`
    throw refusal(attributes, `${said} ${from} ${policy} from the given PriorityClass name`)
  }
  if (found !== undefined) spec.priorityClassName = found.metadata.name
  spec.priority = value
  spec.preemptionPolicy = policy
}

/** A client that does not know the number does not take it away. */
function keepPriority(spec: Spec, { spec: old }: Pod): void {
  if (old?.priority !== undefined) spec.priority ??= old.priority
  if (old?.preemptionPolicy !== undefined) spec.preemptionPolicy ??= old.preemptionPolicy
}

/** The class of that name; without a name, the global default. */
function classOf({ storage, registry }: AdmissionServer, name: string): PriorityClass | undefined {
  const resource = registry.of(priorityClasses)
  if (name !== "") return readObject(storage, resource, undefined, name)
  const classes = storage.list(resource.stored.prefix).items.map(({ value }) => value as PriorityClass)
  return classes.filter(({ globalDefault }) => globalDefault === true).sort((left, right) => (left.value ?? 0) - (right.value ?? 0))[0]
}
