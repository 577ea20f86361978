import { addInt64, deepEqual, type FieldError, fieldError, isPodTerminal, type KubeObject, podQosClass } from "@pilothouse/api"
import type { Container, Pod, PodSpec } from "@pilothouse/api/core/v1"
import type { TransportResponse } from "@pilothouse/seams"
import type { Draft } from "../body/draft.ts"
import type { Call } from "../request/call.ts"
import { keep, type UpdateKind } from "../resources/generic.ts"
import { validatePod } from "../validation/pods/pod.ts"
import { objectEndpoint } from "./status.ts"

/** Only what containers may use: the node gives it to them, or says that it cannot. */
const resizeUpdate: UpdateKind = {
  prepare(_resource, draft, old) {
    keep(draft, old, "status")
    for (const key of ["labels", "annotations", "finalizers", "ownerReferences"]) keep(draft.metadata, old.metadata, key)
    const pod = draft as Draft<Pod>
    if (!deepEqual(pod.spec, (old as Pod).spec)) pod.metadata.generation = addInt64(old.metadata.generation ?? 0, 1)
  },
  validate: (_resource, object: KubeObject, old: KubeObject) => [...validatePod(object as Pod), ...resizeErrors(object as Pod, old as Pod)],
}

export function resize(call: Call): Promise<TransportResponse> {
  return objectEndpoint(call, resizeUpdate)
}

function resizeErrors(pod: Pod, old: Pod): readonly FieldError[] {
  if (pod.spec === undefined || old.spec === undefined || deepEqual(pod.spec, old.spec)) return []
  const others = !deepEqual(withoutSizes(pod.spec, old.spec), old.spec)
  return [
    ...(isPodTerminal(old) ? [fieldError.forbidden("spec", "pods that are completed may not be resized")] : []),
    ...(others ? [fieldError.forbidden("spec", "only cpu and memory resources are mutable")] : []),
    ...(podQosClass(pod) === podQosClass(old)
      ? []
      : [fieldError.invalid("spec", podQosClass(pod), "Pod QOS Class may not change as a result of resizing")]),
  ]
}

/** The new spec with the old sizes: anything left that differs may not. */
function withoutSizes(spec: PodSpec, old: PodSpec): PodSpec {
  // Their lack is told by the validation of the pod; it comes here too.
  const sized = (containers: readonly Container[] = [], before: readonly Container[] = []) =>
    containers.map((container, index) => ({ ...container, resources: before[index]?.resources, resizePolicy: before[index]?.resizePolicy }))
  return {
    ...spec,
    containers: sized(spec.containers, old.containers),
    ...(spec.initContainers && { initContainers: sized(spec.initContainers, old.initContainers) }),
    resources: old.resources,
  }
}
