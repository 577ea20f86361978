import { addInt64, deepEqual, type FieldError, fieldError, isPodTerminal, type KubeObject, podQosClass } from "@pilothouse/api"
import type { Container, Pod, PodSpec } from "@pilothouse/api/core/v1"
import type { TransportResponse } from "@pilothouse/seams"
import { type Draft, draftOf } from "../body/draft.ts"
import { keep, type UpdateKind } from "../resources/generic.ts"
import type { Call } from "../server/call.ts"
import { validatePod } from "../validation/pods/pod.ts"
import { objectEndpoint } from "./status.ts"

/** Only what containers may use: the node gives it to them, or says that it cannot. */
const resizeUpdate: UpdateKind = {
  prepare(_resource, draft, old) {
    keep(draft, old, "status")
    for (const key of ["labels", "annotations", "finalizers", "ownerReferences"]) keep(draft.metadata, old.metadata, key)
    const pod = draft as Draft<Pod>
    keepAllButSizes(pod, old as Pod)
    if (!deepEqual(pod.spec, (old as Pod).spec)) pod.metadata.generation = addInt64(old.metadata.generation ?? 0, 1)
  },
  validate: (_resource, object: KubeObject, old: KubeObject) => [...validatePod(object as Pod), ...resizeErrors(object as Pod, old as Pod)],
}

/** Serves pods/resize: changes the resources of containers, and nothing else of the pod. */
export function resize(call: Call): Promise<TransportResponse> {
  return objectEndpoint(call, resizeUpdate)
}

/** Drops every other change. Containers that are not the same ones stay as they are: validation refuses them. */
function keepAllButSizes(pod: Draft<Pod>, { spec: old }: Pod): void {
  const { spec } = pod
  if (spec === undefined || old === undefined) return
  const sameContainers = isSameList(spec.containers, old.containers) && isSameList(spec.initContainers, old.initContainers)
  if (!sameContainers) return
  const sized = (containers: readonly Draft<Container>[] | undefined, before: readonly Container[] | undefined) =>
    before?.map((container, index) => {
      const { resources, resizePolicy } = containers![index]!
      const { resources: _resources, resizePolicy: _resizePolicy, ...rest } = container
      return { ...rest, ...(resources && { resources }), ...(resizePolicy && { resizePolicy }) }
    })
  const [containers, initContainers, { resources }] = [
    sized(spec.containers, old.containers),
    sized(spec.initContainers, old.initContainers),
    spec,
  ]
  const { containers: _containers, initContainers: _initContainers, resources: _resources, ...kept } = old
  pod.spec = draftOf({
    ...kept,
    ...(containers && { containers }),
    ...(initContainers && { initContainers }),
    ...(resources && { resources }),
  }) as Draft<PodSpec>
}

function isSameList(containers: readonly { readonly name?: string }[] = [], before: readonly Container[] = []): boolean {
  return containers.length === before.length && containers.every(({ name }, index) => name === before[index]!.name)
}

/** A running container without sizes in its status is on a node that does not change them. */
function isResizable({ status }: Pod): boolean {
  const running = status?.containerStatuses?.find(({ state }) => state?.running !== undefined)
  return running === undefined || running.resources !== undefined
}

function resizeErrors(pod: Pod, old: Pod): readonly FieldError[] {
  if (pod.spec === undefined || old.spec === undefined || deepEqual(pod.spec, old.spec)) return []
  const others = !deepEqual(withoutSizes(pod.spec, old.spec), old.spec)
  return [
    ...(isPodTerminal(old) ? [fieldError.forbidden("spec", "pods that are completed may not be resized")] : []),
    ...(isResizable(old) ? [] : [fieldError.forbidden("spec", "Pod running on node without support for resize")]),
    ...(others ? [fieldError.forbidden("spec", "only cpu and memory resources are mutable")] : []),
    ...(podQosClass(pod) === podQosClass(old)
      ? []
      : [fieldError.invalid("spec", podQosClass(pod), "Pod QOS Class may not change as a result of resizing")]),
  ]
}

/** The new spec with the old sizes: anything left that differs may not. */
function withoutSizes(spec: PodSpec, old: PodSpec): PodSpec {
  // Missing containers are reported by the validation of the pod; such a spec comes here too.
  const sized = (containers: readonly Container[] = [], before: readonly Container[] = []) =>
    containers.map((container, index) => ({ ...container, resources: before[index]?.resources, resizePolicy: before[index]?.resizePolicy }))
  return {
    ...spec,
    containers: sized(spec.containers, old.containers),
    ...(spec.initContainers && { initContainers: sized(spec.initContainers, old.initContainers) }),
    resources: old.resources,
  }
}
