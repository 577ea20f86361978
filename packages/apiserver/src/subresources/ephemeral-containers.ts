import { addInt64, deepEqual, type FieldError, fieldError, type KubeObject } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { TransportResponse } from "@pilothouse/seams"
import type { Draft } from "../body/draft.ts"
import { keep, type UpdateKind } from "../resources/generic.ts"
import type { Call } from "../server/call.ts"
import { repeats } from "../validation/field-rules.ts"
import { objectEndpoint } from "./status.ts"

type Ephemeral = NonNullable<NonNullable<Pod["spec"]>["ephemeralContainers"]>[number]

/** Only the list of ephemeral containers. */
const ephemeralUpdate: UpdateKind = {
  prepare(_resource, draft, old) {
    const pod = draft as Draft<Pod>
    const added = pod.spec?.ephemeralContainers
    for (const key of ["spec", "status"]) keep(draft, old, key)
    for (const key of ["labels", "annotations", "finalizers", "ownerReferences"]) keep(draft.metadata, old.metadata, key)
    if (pod.spec !== undefined && added !== undefined) pod.spec = { ...pod.spec, ephemeralContainers: added }
    if (!deepEqual(pod.spec, (old as Pod).spec)) pod.metadata.generation = addInt64(old.metadata.generation ?? 0, 1)
  },
  validate: (_resource, object: KubeObject, old: KubeObject) => ephemeralErrors(object as Pod, old as Pod),
}

/** Containers that people put beside the others of a running pod to look at them: kubectl debug. */
export function ephemeralContainers(call: Call): Promise<TransportResponse> {
  return objectEndpoint(call, ephemeralUpdate)
}

function ephemeralErrors({ spec }: Pod, { spec: old }: Pod): readonly FieldError[] {
  const now = spec?.ephemeralContainers ?? []
  const others = new Set([...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ name }) => name))
  const again = repeats(now.map(({ name }) => name))
  return [
    ...now.flatMap((one, index) => ownErrors(one, index, again[index] === true, others)),
    ...keptErrors(now, old?.ephemeralContainers ?? []),
  ]
}

function ownErrors(one: Ephemeral, index: number, again: boolean, others: ReadonlySet<string>): readonly FieldError[] {
  const field = `spec.ephemeralContainers[${index}]`
  const { name, image = "", targetContainerName: target = "" } = one
  const twice = others.has(name) || again
  return [
    ...(name === "" || name === undefined ? [fieldError.required(`${field}.name`)] : []),
    ...(twice ? [fieldError.duplicate(`${field}.name`, name)] : []),
    ...(image === "" ? [fieldError.required(`${field}.image`)] : []),
    ...(target !== "" && !others.has(target) ? [fieldError.notFound(`${field}.targetContainerName`, target)] : []),
  ]
}

/** An existing ephemeral container can be neither changed nor removed. */
function keptErrors(now: readonly Ephemeral[], before: readonly Ephemeral[]): readonly FieldError[] {
  const field = "spec.ephemeralContainers"
  const byName = Map.groupBy(now, ({ name }) => name)
  return before.flatMap((old) => {
    const same = byName.get(old.name)?.[0]
    if (same === undefined) return [fieldError.forbidden(field, `existing ephemeral containers "${old.name}" may not be removed\n`)]
    return deepEqual(same, old) ? [] : [fieldError.forbidden(field, `existing ephemeral containers "${old.name}" may not be changed\n`)]
  })
}
