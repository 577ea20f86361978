import {
  badRequest,
  conflict,
  deepFreeze,
  fieldError,
  formatLabelSelector,
  invalid,
  type KubeObject,
  type LabelSelector,
  selectorFromLabels,
  selectorOf,
} from "@pilothouse/api"
import type { Scale } from "@pilothouse/api/autoscaling/v1"
import { patchContentTypes } from "@pilothouse/api/patch"
import { schemaOf } from "@pilothouse/api/schemas"
import type { TransportResponse } from "@pilothouse/seams"
import { type Draft, draftOf } from "../body/draft.ts"
import { checkConfiguration } from "../managedfields/apply-configuration.ts"
import type { FieldManagerEndpoint } from "../managedfields/endpoint.ts"
import { runSteps } from "../managedfields/merge/index.ts"
import { type ManagedFields, managedFieldsOf, setManagedFields } from "../managedfields/object-managed-fields.ts"
import { fromScale, toScale, workloadPaths } from "../managedfields/scale-managed-fields.ts"
import { trackUpdate } from "../managedfields/track-update.ts"
import { applyBody, applyRequest } from "../objects/apply-object.ts"
import { currentObject } from "../objects/current-object.ts"
import { decodeBody, decodeValue } from "../objects/decode-object.ts"
import { fieldManagerOf } from "../objects/field-ownership.ts"
import { matchName, matchNamespace } from "../objects/metadata.ts"
import { decodePatched, patchBody, patchedValue, patchFunction } from "../objects/patch-object.ts"
import { type AdmittedForm, updateObject } from "../objects/update-object.ts"
import { mainUpdate } from "../resources/generic.ts"
import type { ScaleValues } from "../resources/resource.ts"
import { objectResponse } from "../response/response.ts"
import type { Call } from "../server/call.ts"

const kind = { group: "autoscaling", version: "v1", kind: "Scale" }

/** What Deployments, ReplicaSets, StatefulSets and ReplicationControllers have in common. */
interface Workload extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly selector?: LabelSelector | Readonly<Record<string, string>> }
  readonly status?: { readonly replicas?: number }
}

/** Serves the subresource scale: the replicas of every kind that has them, in one form. */
export async function scale(call: Call): Promise<TransportResponse> {
  if (call.verb === "get") return objectResponse(call, scaleOf(call, await currentObject(call)))
  const change = changeOf(call)
  const { apiVersion, scalable } = call.resource
  const paths = scalable?.replicasPaths ?? workloadPaths(apiVersion)
  const next = (current: KubeObject) => {
    const entries = managedFieldsOf(current)
    const live = deepFreeze(setManagedFields(scaleOf(call, current), toScale(entries, paths)))
    const { scale: changed, managedFields } = change(live)
    return {
      draft: withReplicas(call, current, changed),
      managedFields: fromScale(entries, managedFields, { apiVersion, paths }),
      ofForm: { old: live, managedFields },
    }
  }
  const admitted: AdmittedForm = {
    kind,
    of: (object: KubeObject) => scaleOf(call, object),
    write: (object, form) => setReplicas(call, object, (form as Draft<Scale>).spec?.replicas ?? 0),
  }
  const { object } = await updateObject(call, { kind: mainUpdate, again: true, next, admitted })
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
  hasOwnSchema: false,
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
    return { scale, managedFields: runSteps(trackUpdate(endpoint, { ...writer, live, next: scale, given: undefined })) }
  }
}

function applied(call: Call): Change {
  const config = applyBody(call)
  return (live) => {
    checkConfiguration(endpoint, config)
    const { object, managedFields } = runSteps(applyRequest(call, endpoint, config, live))
    const scale = object === undefined ? draftOf(live) : decodeValue({ ...call, findStrict: undefined }, object, { kind, schema })
    return { scale: scale as Draft<Scale>, managedFields }
  }
}

function replaced(call: Call): (live: Scale) => Draft<Scale> {
  if (call.resource.scalable !== undefined) refuseOtherKind(call.body)
  const body = decodeBody(call, { kind, schema }) as Draft<Scale>
  return () => body
}

/** The decoder of custom resources knows a Scale of one version. */
function refuseOtherKind(body: unknown): void {
  const { apiVersion, kind: said } = (body ?? {}) as { readonly apiVersion?: unknown; readonly kind?: unknown }
  const isOther = (word: unknown, expected: string) => typeof word === "string" && word !== "" && word !== expected
  if (isOther(apiVersion, endpoint.apiVersion) || isOther(said, kind.kind))
    throw badRequest('no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"')
}

function patched(call: Call): (live: Scale) => Draft<Scale> {
  const change = patchFunction(call, schema)
  return (live) => decodePatched(call, patchedValue(call, live, patchBody(call), change), { kind, schema }) as Draft<Scale>
}

/** Stands for replicas that a custom resource does not have, until a write says how many: the smallest integer of 32 bits, as upstream. */
const noReplicas = -2_147_483_648

function scaleOf({ resource, verb }: Call, object: KubeObject): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const values = resource.scalable?.read(object) ?? workloadValues(resource.descriptor.plural, object)
  if (values.replicas === undefined && verb === "get" && resource.scalable !== undefined) throw resource.scalable.missing(verb)
  const { replicas = resource.scalable === undefined ? 0 : noReplicas, statusReplicas, selector } = values
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: statusReplicas, ...(selector !== "" && { selector }) },
  }
}

function workloadValues(plural: string, object: Workload): ScaleValues {
  return { replicas: object.spec?.replicas, statusReplicas: object.status?.replicas ?? 0, selector: selectorText(plural, object) }
}

/** A ReplicationController selects by plain labels. */
function selectorText(plural: string, { spec }: Workload): string {
  if (plural === "replicationcontrollers")
    return formatLabelSelector(selectorFromLabels(spec?.selector as Readonly<Record<string, string>>))
  return formatLabelSelector(selectorOf(spec?.selector as LabelSelector))
}

function withReplicas(call: Call, current: KubeObject, changed: Draft<Scale>): Draft<KubeObject> {
  matchNamespace(call, changed)
  matchName(call, changed)
  const { metadata, spec } = changed
  const draft = draftOf(current)
  setReplicas(call, draft, spec?.replicas ?? 0)
  if (metadata.resourceVersion !== undefined) draft.metadata.resourceVersion = metadata.resourceVersion
  if (metadata.uid !== undefined) matchUid(call, draft, metadata.uid)
  return draft
}

/** An update is refused with the object's own check; what the patch of a custom resource's scale says is not compared, as upstream. */
function matchUid({ verb, resource, name }: Call, draft: Draft<KubeObject>, uid: string): void {
  if (verb === "update") draft.metadata.uid = uid
  else if (resource.scalable === undefined && uid !== draft.metadata.uid) {
    const { group, plural } = resource.descriptor
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${draft.metadata.uid}`
    throw conflict({ group, plural: `${plural}/scale` }, name, why)
  }
}

/** The replicas of a custom resource are validated with the rest of it. */
function setReplicas({ resource: { scalable }, name, verb }: Call, draft: Draft<Workload>, replicas: number): void {
  if (scalable !== undefined) {
    if (replicas === noReplicas) throw scalable.missing(verb)
    return scalable.write(draft, replicas)
  }
  if (replicas < 0) {
    const cause = fieldError.invalid("spec.replicas", replicas, "must be greater than or equal to 0")
    throw invalid({ group: "autoscaling", kind: "Scale" }, name, [cause])
  }
  draft.spec = { ...draft.spec, replicas }
}
