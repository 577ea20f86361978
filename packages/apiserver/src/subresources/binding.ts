import { badRequest, conflict, fieldError, formatTime, invalid, type KubeObject, setCondition, successStatus } from "@pilothouse/api"
import { type Binding, bindings, type Pod, pods } from "@pilothouse/api/core/v1"
import { schemaOf } from "@pilothouse/api/schemas"
import type { TransportResponse } from "@pilothouse/seams"
import { type Draft, draftOf } from "../body/draft.ts"
import { managedFieldsOf } from "../managedfields/object-managed-fields.ts"
import { admitRequest, withoutAdmission } from "../objects/admit-request.ts"
import { decodeBody } from "../objects/decode-object.ts"
import { updateObject } from "../objects/update-object.ts"
import type { UpdateKind } from "../resources/generic.ts"
import { valueResponse } from "../response/response.ts"
import type { Call } from "../server/call.ts"

/** What a binding changes is set by the server alone, so there is nothing of the client's to put back or to check. */
const bindingUpdate: UpdateKind = { prepare() {}, validate: () => [] }

/** The scheduler's word: this pod runs on that node. Said once. */
export async function binding(call: Call): Promise<TransportResponse> {
  const body = decodeBody(call, { kind: bindings, schema: schemaOf(bindings) }) as Draft<Binding>
  if (body.metadata.name !== call.name) throw badRequest("name in URL does not match name in Binding object")
  return bind(call, body as Binding)
}

/** The same, posted to the collection: the body names the pod. */
export async function collectionBinding(call: Call): Promise<TransportResponse> {
  const body = decodeBody(call) as Draft<Binding>
  const resource = call.server.registry.served(pods)
  return bind({ ...call, resource, name: body.metadata.name ?? "", subresource: "binding" }, body as Binding)
}

async function bind(call: Call, body: Binding): Promise<TransportResponse> {
  await admitRequest(call, "CREATE", bindings, body as Draft<Binding>)
  checkTarget(body)
  const next = (current: KubeObject) => ({ draft: bound(call, current as Pod, body), managedFields: managedFieldsOf(current) })
  await updateObject(withoutAdmission(call), { kind: bindingUpdate, again: true, next })
  return valueResponse(call, { ...successStatus(), code: 201 }, 201)
}

function checkTarget({ target }: Partial<Binding>): void {
  const kind = target?.kind ?? ""
  const causes = [
    ...(kind === "" || kind === "Node" ? [] : [fieldError.notSupported("target.kind", kind, ["Node", "<empty>"])]),
    ...((target?.name ?? "") === "" ? [fieldError.required("target.name")] : []),
  ]
  if (causes.length > 0) throw invalid(bindings, "", causes)
}

function bound(call: Call, pod: Pod, { target, metadata }: Binding): Draft<KubeObject> {
  checkMeant(call, pod, metadata)
  refuse(call, pod)
  const draft = draftOf(pod)
  const { clock } = call.server
  draft.spec = { ...draft.spec, containers: draft.spec?.containers ?? [], nodeName: target.name }
  if (metadata.annotations) draft.metadata.annotations = { ...draft.metadata.annotations, ...metadata.annotations }
  if (metadata.labels) draft.metadata.labels = { ...draft.metadata.labels, ...metadata.labels }
  const scheduled = { type: "PodScheduled", status: "True" as const, lastTransitionTime: formatTime(clock.now()) }
  const { nominatedNodeName: _hint, ...status } = draft.status ?? {}
  draft.status = { ...status, conditions: [...setCondition(pod.status?.conditions ?? [], scheduled, clock.now())].map(draftOf) }
  return draft
}

/** A binding may say which pod of the name, and which state of it, it was made for. The words are those of upstream's storage. */
function checkMeant({ resource, namespace, name }: Call, pod: Pod, { uid, resourceVersion }: Binding["metadata"]): void {
  const check = (what: string, wanted: string | undefined, found: string | undefined) => {
    if (wanted === undefined || wanted === found) return
    const why = `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`
    const key = `/registry/pods/${namespace}/${name}`
    const fault = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`
    throw conflict(resource.descriptor, name, fault)
  }
  check("UID", uid, pod.metadata.uid)
  check("ResourceVersion", resourceVersion, pod.metadata.resourceVersion)
}

function refuse({ resource, name }: Call, pod: Pod): void {
  const reason = (why: string) => conflict({ group: resource.descriptor.group, plural: "pods/binding" }, name, why)
  if (pod.metadata.deletionTimestamp !== undefined) throw reason(`pod ${name} is being deleted, cannot be assigned to a host`)
  const node = pod.spec?.nodeName ?? ""
  if (node !== "") throw reason(`pod ${name} is already assigned to node "${node}"`)
  if ((pod.spec?.schedulingGates ?? []).length > 0) throw reason(`pod ${name} has non-empty .spec.schedulingGates`)
}
