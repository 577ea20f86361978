import {
  badRequest,
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
import { schemaOf } from "@pilothouse/api/schemas"
import type { TransportResponse } from "@pilothouse/seams"
import { decodeBody } from "../body/decode-object.ts"
import { type Draft, draftOf } from "../body/draft.ts"
import { readObject } from "../objects/key.ts"
import { updateObject } from "../objects/update-object.ts"
import type { Call } from "../request/call.ts"
import { mainUpdate } from "../resources/generic.ts"
import { objectResponse } from "../response/response.ts"
import { applied, decodePatched, patchBody, patchFunction } from "../verbs/patch.ts"

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
  const change = call.verb === "update" ? replaced(call) : patched(call)
  const next = (current: KubeObject) => withReplicas(call, current, change(scaleOf(call, current)))
  const { object } = await updateObject(call, { kind: mainUpdate, again: true, next })
  return objectResponse(call, scaleOf(call, object))
}

type Change = (current: Scale) => Draft<Scale>

function replaced(call: Call): Change {
  const body = decodeBody(call, { kind, schema: schemaOf(kind) }) as Draft<Scale>
  return () => body
}

function patched(call: Call): Change {
  const schema = schemaOf(kind)
  const apply = patchFunction(call, schema)
  const body = patchBody(call)
  return (current) => decodePatched(call, applied(call, current, body, apply), { kind, schema }) as Draft<Scale>
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
