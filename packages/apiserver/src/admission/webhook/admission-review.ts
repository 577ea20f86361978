import type { Descriptor, Status } from "@pilothouse/api"
import { quoted } from "@pilothouse/api"
import { type Query, queryValue } from "@pilothouse/seams"
import type { Resource } from "../../resources/resource.ts"
import { namespaceOf } from "../matching/match-request.ts"
import type { AdmissionAttributes } from "../plugin.ts"

/** What is sent to a webhook about a request. */
export interface ReviewRequest {
  readonly attributes: AdmissionAttributes
  /** In whose version the webhook is called. */
  readonly resource: Resource
  /** Both in that version, as clients see them. */
  readonly object: unknown
  readonly oldObject: unknown
}

/** The answer of a webhook, checked. */
export interface ReviewResponse {
  readonly allowed: boolean
  /** The text of a JSON patch; undefined where there is none. */
  readonly patch: string | undefined
  readonly patchType: string
  readonly result: Partial<Status> | undefined
  readonly warnings: readonly string[]
}

type Kind = Pick<Descriptor, "group" | "version" | "kind">
export type ReviewVersion = "v1" | "v1beta1"

/** The versions of AdmissionReview that are spoken here. */
const versions: readonly string[] = ["v1", "v1beta1"]

/** Returns the first version of a webhook's list that is spoken here. */
export function reviewVersion(listed: readonly string[]): ReviewVersion | undefined {
  return listed.find((version) => versions.includes(version)) as ReviewVersion | undefined
}

/** Returns the AdmissionReview for a request, in the order of fields of upstream. */
export function admissionReview(version: ReviewVersion, uid: string, { attributes, resource, object, oldObject }: ReviewRequest): object {
  const { identity, operation, subresource, name, request } = attributes
  const requested = attributes.resource.descriptor
  const { group, version: inVersion, plural } = resource.descriptor
  const namespace = namespaceOf(attributes)
  const { name: username, uid: userId, groups, extra } = identity
  return {
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      kind: gvk(attributes.kind ?? resource.descriptor),
      resource: { group, version: inVersion, resource: plural },
      ...(subresource !== "" && { subResource: subresource }),
      requestKind: gvk(attributes.kind ?? requested),
      requestResource: { group: requested.group, version: requested.version, resource: requested.plural },
      ...(subresource !== "" && { requestSubResource: subresource }),
      ...(name !== "" && { name }),
      ...(namespace !== "" && { namespace }),
      operation,
      userInfo: { username, ...(userId !== undefined && { uid: userId }), groups, ...(extra !== undefined && { extra }) },
      object: object ?? null,
      oldObject: oldObject ?? null,
      dryRun: request.dryRun,
      options: operationOptions(attributes),
    },
  }
}

function gvk({ group, version, kind }: Kind): Kind {
  return { group, version, kind }
}

/** Returns the options of a request as its webhooks and policies see them; null for a connection. */
export function operationOptions({ operation, request, deleteOptions }: AdmissionAttributes): object | null {
  if (operation === "CONNECT") return null
  if (operation === "DELETE") return { ...deleteOptions, kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" }
  const { query } = request
  return {
    kind: operation === "CREATE" ? "CreateOptions" : "UpdateOptions",
    apiVersion: "meta.k8s.io/v1",
    ...(request.dryRun && { dryRun: ["All"] }),
    ...given(query, "fieldManager"),
    ...given(query, "fieldValidation"),
  }
}

function given(query: Query, name: string): object {
  const value = queryValue(query, name) ?? ""
  return value === "" ? {} : { [name]: value }
}

interface Answer {
  readonly kind?: unknown
  readonly apiVersion?: unknown
  readonly response?: {
    readonly uid?: unknown
    readonly allowed?: unknown
    readonly status?: unknown
    readonly patch?: unknown
    readonly patchType?: unknown
    readonly warnings?: unknown
  } | null
}

/** Returns what an AdmissionReview says; throws an error with upstream's words where it breaks a rule. */
export function reviewResponse(version: ReviewVersion, uid: string, type: "admit" | "validating", value: unknown): ReviewResponse {
  const { response, kind, apiVersion } = (value ?? {}) as Answer
  if (response === undefined || response === null) throw new Error("webhook response was absent")
  const patch = patchText(response.patch)
  const { patchType } = response
  // Neither was checked when v1beta1 was new.
  if (version === "v1") {
    if (response.uid !== uid) throw new Error(`expected response.uid=${quoted(uid)}, got ${quoted(String(response.uid ?? ""))}`)
    checkKind(apiVersion, kind)
    checkPatch(type, patch, patchType)
  }
  return {
    allowed: response.allowed === true,
    patch: type === "admit" ? patch : undefined,
    patchType: version === "v1" ? String(patchType ?? "") : "JSONPatch",
    result: resultOf(response.status),
    warnings: Array.isArray(response.warnings) ? response.warnings.filter((one) => typeof one === "string") : [],
  }
}

/** The client is answered with it: what has other types than a Status is no answer. Null is a field that is left out, as Go reads it. */
function resultOf(status: unknown): Partial<Status> | undefined {
  if (status === undefined || status === null) return undefined
  const isObject = typeof status === "object" && !Array.isArray(status)
  const given = isObject ? Object.fromEntries(Object.entries(status).filter(([, value]) => value !== null)) : {}
  const { code = 0, message = "", reason = "" } = given
  if (isObject && Number.isInteger(code) && typeof message === "string" && typeof reason === "string") return given
  throw new Error("expected a Status in response.status, found something else")
}

function checkKind(apiVersion: unknown, kind: unknown): void {
  if (apiVersion === "admission.k8s.io/v1" && kind === "AdmissionReview") return
  const [version = "", group = ""] = String(apiVersion ?? "")
    .split("/")
    .reverse()
  throw new Error(
    `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${group}/${version}, Kind=${String(kind ?? "")}`,
  )
}

function checkPatch(type: "admit" | "validating", patch: string | undefined, patchType: unknown): void {
  const hasType = patchType !== undefined && patchType !== null
  if (type === "validating") {
    if (patch !== undefined) throw new Error("validating webhook may not return response.patch")
    if (hasType) throw new Error("validating webhook may not return response.patchType")
    return
  }
  if (patch !== undefined && !hasType) throw new Error("webhook returned response.patch but not response.patchType")
  if (patch === undefined && hasType) throw new Error("webhook returned response.patchType but not response.patch")
  if (patchType === "") throw new Error('webhook returned invalid response.patchType of ""')
}

/** A patch comes in base64, as bytes do in Go's JSON. */
function patchText(patch: unknown): string | undefined {
  if (typeof patch !== "string" || patch === "") return undefined
  return Buffer.from(patch, "base64").toString()
}
