import {
  badRequest,
  deepFreeze,
  fieldError,
  formatLabelSelector,
  invalid,
  type KubeObject,
  type LabelSelector,
  notFound,
  selectorFromLabels,
  selectorOf,
} from "@pilothouse/api"
import type { Scale } from "@pilothouse/api/autoscaling/v1"
import { patchContentTypes } from "@pilothouse/api/patch"
import { schemaOf } from "@pilothouse/api/schemas"
import type { TransportResponse } from "@pilothouse/seams"
import { decodeBody, decodeValue } from "../body/decode-object.ts"
import { type Draft, draftOf } from "../body/draft.ts"
import type { FieldManagerEndpoint } from "../managedfields/endpoint.ts"
import { type ManagedFields, managedFieldsOf, setManagedFields } from "../managedfields/object-managed-fields.ts"
import { fromScale, toScale } from "../managedfields/scale-managed-fields.ts"
import { trackUpdate } from "../managedfields/track-update.ts"
import { applyBody, applyRequest } from "../objects/apply-object.ts"
import { fieldManagerOf } from "../objects/field-ownership.ts"
import { readObject } from "../objects/key.ts"
import { decodePatched, patchBody, patchedValue, patchFunction } from "../objects/patch-object.ts"
import { updateObject } from "../objects/update-object.ts"
import type { Call } from "../request/call.ts"
import { mainUpdate } from "../resources/generic.ts"
import { objectResponse } from "../response/response.ts"

const kind = { group: "autoscaling", version: "v1", kind: "Scale" }

/** What Deployments, ReplicaSets, StatefulSets and ReplicationControllers have in common. */
interface Scalable extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly selector?: LabelSelector | Readonly<Record<string, string>> }
  readonly status?: { readonly replicas?: number }
}

/** How many replicas, said the same way for every kind that has them. */
export async function scale(call: Call): Promise<TransportResponse> {
  if (call.verb === "get") {
    const object = readObject(call.server.storage, call.resource, call.namespace, call.name)
    if (object === undefined) throw notFound(call.resource.descriptor, call.name)
    return objectResponse(call, scaleOf(call, object))
  }
  const change = changeOf(call)
  let managedFields: readonly ManagedFields[] = []
  const next = (current: KubeObject) => {
    const { apiVersion } = call.resource
    const entries = managedFieldsOf(current)
    const live = deepFreeze(setManagedFields(scaleOf(call, current), toScale(entries, apiVersion)))
    const changed = change(live)
    managedFields = fromScale(entries, changed.managedFields, apiVersion)
    return withReplicas(call, current, changed.scale)
  }
  const { object } = await updateObject(call, { kind: mainUpdate, again: true, next, managedFields: () => managedFields })
  return objectResponse(call, scaleOf(call, object))
}

interface ChangedScale {
  readonly scale: Draft<Scale>
  /** Of the scale, which are translated into those of the object. */
  readonly managedFields: readonly ManagedFields[]
}

type Change = (live: Scale) => ChangedScale

const schema = schemaOf(kind)!

/** A Scale is never stored: its managers are those of the replicas of its object. */
const endpoint: FieldManagerEndpoint = {
  apiVersion: "autoscaling/v1",
  kind,
  subresource: "scale",
  schema,
  goForm: (object) => object,
  merge: { versions: { schemaOf: () => schema, convert: (object) => object } },
  resetRoots: [],
}

function changeOf(call: Call): Change {
  if (call.contentType === patchContentTypes.apply) return applied(call)
  const changed = call.verb === "update" ? replaced(call) : patched(call)
  return (live) => {
    const scale = changed(live)
    const writer = { manager: fieldManagerOf(call), now: call.server.clock.now() }
    return { scale, managedFields: trackUpdate(endpoint, { ...writer, live, next: scale, given: undefined }) }
  }
}

function applied(call: Call): Change {
  const config = applyBody(call)
  return (live) => {
    const { object, managedFields } = applyRequest(call, endpoint, config, live)
    const scale = object === undefined ? draftOf(live) : decodeValue({ ...call, findStrict: undefined }, object, { kind, schema })
    return { scale: scale as Draft<Scale>, managedFields }
  }
}

function replaced(call: Call): (live: Scale) => Draft<Scale> {
  const body = decodeBody(call, { kind, schema }) as Draft<Scale>
  return () => body
}

function patched(call: Call): (live: Scale) => Draft<Scale> {
  const change = patchFunction(call, schema)
  const body = patchBody(call)
  return (live) => decodePatched(call, patchedValue(call, live, body, change), { kind, schema }) as Draft<Scale>
}

function scaleOf({ resource }: Call, object: Scalable): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const selector = selectorText(resource.descriptor.plural, object)
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: object.spec?.replicas === undefined || object.spec.replicas === 0 ? {} : { replicas: object.spec.replicas },
    status: { replicas: object.status?.replicas ?? 0, ...(selector !== "" && { selector }) },
  }
}

/** A ReplicationController selects by plain labels. */
function selectorText(plural: string, { spec }: Scalable): string {
  if (plural === "replicationcontrollers")
    return formatLabelSelector(selectorFromLabels(spec?.selector as Readonly<Record<string, string>>))
  return formatLabelSelector(selectorOf(spec?.selector as LabelSelector))
}

function withReplicas(call: Call, current: Scalable, { metadata, spec }: Draft<Scale>): Draft<KubeObject> {
  if (metadata.name !== undefined && metadata.name !== call.name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${call.name})`)
  }
  const replicas = spec?.replicas ?? 0
  if (replicas < 0) {
    const cause = fieldError.invalid("spec.replicas", replicas, "must be greater than or equal to 0")
    throw invalid({ group: "autoscaling", kind: "Scale" }, call.name, [cause])
  }
  const draft = draftOf(current)
  draft.spec = { ...draft.spec, replicas }
  if (metadata.resourceVersion !== undefined) draft.metadata.resourceVersion = metadata.resourceVersion
  return draft as Draft<KubeObject>
}
