import { apiVersionOf, badRequest, type Descriptor, type KubeObject, type Schema, StatusError } from "@pilothouse/api"
import { goJsonWord } from "@pilothouse/api/patch"
import { messageOf, PilothouseError, queryValue, stringifyJson } from "@pilothouse/seams"
import { coerceToSchema, type Findings } from "../body/coerce-to-schema.ts"
import { SchemaMismatch } from "../body/coerced-place.ts"
import type { Draft } from "../body/draft.ts"
import { unknownOnly } from "../body/strict-findings.ts"
import { unrecognized } from "../body/unrecognized-body.ts"
import { keepVariantForms, type VariantForm } from "../body/variant-forms.ts"
import type { Registry } from "../registry/registry.ts"
import { withoutTypeMeta } from "../request/without-type-meta.ts"
import type { ObjectDecoder } from "../resources/resource.ts"
import type { Call } from "../server/call.ts"

/** The kind a body must be of. */
export interface ExpectedKind {
  readonly kind: Pick<Descriptor, "group" | "version" | "kind">
  readonly schema: Schema | undefined
  /** Of a kind that is not read by its schema alone. */
  readonly decoder?: ObjectDecoder | undefined
  /** Whether server-side apply has made the value. */
  readonly isApplied?: boolean
}

/** The object of a request's body: the server's own copy, with apiVersion, kind and metadata filled in. */
export function decodeBody(call: Call, expected: ExpectedKind = expectedKind(call)): Draft<KubeObject> {
  return decodeValue(call, call.body, expected)
}

export function expectedKind(call: Call): ExpectedKind {
  const { descriptor: kind, decoder } = call.resource
  return decoder === undefined ? { kind, schema: call.resource.schema } : { kind, schema: undefined, decoder }
}

/** The same for a value that came of a patch. */
export function decodeValue(call: Call, value: unknown, expected: ExpectedKind): Draft<KubeObject> {
  const { kind } = expected
  // Go reads null as an object without fields.
  if (value === null) return decodeValue(call, {}, expected)
  if (typeof value !== "object" || Array.isArray(value)) throw notAnObject(kind.kind, value)
  const apiVersion = expected.decoder === undefined ? checkKind(call, value, kind) : expected.decoder.checkKind(value)
  const variants: VariantForm[] = []
  const literals = value === call.body ? call.literals : undefined
  // Of a kind with a decoder of its own upstream keeps the JSON, which has one form.
  const findings: Findings = { unknownFields: [], literals, ...(expected.decoder === undefined && { variants }) }
  const draft = coercedTo(value, expected, findings)
  reportStrict(call, findings.unknownFields, kind)
  const { kind: _kind, apiVersion: _apiVersion, metadata: given, ...others } = draft
  const metadata = isRecord(given) ? given : {}
  dropEmptyStrings(metadata)
  // An empty list says more than none: it clears what is tracked.
  if (isEmptyList((value as Partial<KubeObject>).metadata?.managedFields)) metadata.managedFields = []
  // In the order of upstream's answers; the edge counts on the kind to be in front.
  return keepVariantForms({ kind: kind.kind, apiVersion, metadata, ...others }, variants)
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function notAnObject(kind: string, value: unknown): StatusError {
  return unrecognized(kind, withoutTypeMeta(value), bytesOf(value))
}

/** For a message, which shows the first few. */
function bytesOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(value === undefined ? "" : stringifyJson(value))
}

function checkKind({ server }: Call, value: object, expected: ExpectedKind["kind"]): string {
  const [apiVersion, kind] = [wordOf(value, "apiVersion", expected.kind), wordOf(value, "kind", expected.kind)]
  const wanted = apiVersionOf(expected)
  const other = (apiVersion !== "" && apiVersion !== wanted) || (kind !== "" && kind !== expected.kind)
  if (other) throw wrongKind(server.registry, expected, { ...value, apiVersion: apiVersion || wanted, kind })
  return wanted
}

/** One of the two words that say what a body is; "" for one that is left out. */
function wordOf(value: object, field: "apiVersion" | "kind", kind: string): string {
  const word = (value as Readonly<Record<string, unknown>>)[field] ?? ""
  if (typeof word === "string") return word
  const why = `json: cannot unmarshal ${goJsonWord(word)} into Go struct field .${field} of type string`
  throw unrecognized(kind, `couldn't get version/kind; json parse error: ${why}`, bytesOf(value))
}

function coercedTo(value: object, { kind, schema, decoder, isApplied = false }: ExpectedKind, findings: Findings): Record<string, unknown> {
  try {
    if (decoder !== undefined) return decoder.decode(value, findings, isApplied)
    return coerceToSchema(value, schema ?? { type: "any" }, findings) as Record<string, unknown>
  } catch (error) {
    if (error instanceof SchemaMismatch || (error instanceof PilothouseError && error.code === "INVALID"))
      throw cannotBeHandled(kind, messageOf(error), error)
    throw error
  }
}

function cannotBeHandled(expected: ExpectedKind["kind"], why: string, cause?: unknown): StatusError {
  const what = `${expected.kind} in version ${JSON.stringify(expected.version)}`
  return new StatusError(badRequest(`${what} cannot be handled as a ${expected.kind}: ${why}`).status, cause)
}

function reportStrict(call: Call, unknown: readonly string[], kind: ExpectedKind["kind"]): void {
  const validation = queryValue(call.query, "fieldValidation") ?? "Warn"
  if (validation === "Ignore") return
  const { warnings, refusal } = (call.findStrict ?? unknownOnly)(unknown)
  if (warnings.length === 0) return
  if (validation === "Strict") throw cannotBeHandled(kind, `strict decoding error: ${refusal}`)
  for (const text of warnings) call.warnings.add(text)
}

/** Metadata fields are no pointers in Go: "" is the same as absent, and is not written. */
function dropEmptyStrings(metadata: Record<string, unknown>): void {
  for (const key of Object.keys(metadata)) if (metadata[key] === "") delete metadata[key]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null
}

type Kind = Pick<Descriptor, "group" | "version" | "kind">

/** Versions that are no longer served and that upstream still knows how to read. */
const oldVersions: Readonly<Record<string, readonly string[]>> = {
  apiextensions: ["v1beta1"],
  apps: ["v1beta1", "v1beta2"],
  autoscaling: ["v1", "v2", "v2beta1", "v2beta2"],
  batch: ["v1beta1"],
  certificates: ["v1beta1"],
  coordination: ["v1beta1"],
  discovery: ["v1beta1"],
  events: ["v1beta1"],
  networking: ["v1beta1"],
  policy: ["v1beta1"],
  rbac: ["v1alpha1", "v1beta1"],
  scheduling: ["v1alpha1", "v1beta1"],
  storage: ["v1alpha1", "v1beta1"],
}

/** Why a body that says it is something else is not taken. */
function wrongKind(registry: Registry, expected: Kind, body: { readonly apiVersion: string; readonly kind: string }): StatusError {
  const parts = body.apiVersion.split("/")
  if (parts.length > 2) {
    return unrecognized(expected.kind, `unexpected GroupVersion string: ${body.apiVersion}`, new TextEncoder().encode(stringifyJson(body)))
  }
  const [version = "", group = ""] = parts.toReversed()
  const kind = body.kind === "" ? expected.kind : body.kind
  const cannot = (why: string) =>
    badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${expected.kind}: ${why}`)
  if (!isKnown(registry, { group, version, kind })) {
    return cannot(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(body.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    )
  }
  if (kind !== expected.kind)
    return cannot(`converting (${version}.${kind}) to (${packageOf(expected.group)}.${expected.kind}): unknown conversion`)
  const wanted = expected.group === "" ? expected.version : `${expected.group}/${expected.version}`
  return badRequest(`the API version in the data (${body.apiVersion}) does not match the expected API version (${wanted})`)
}

function isKnown(registry: Registry, { group, version, kind }: Kind): boolean {
  const inGroup = registry.resources().filter(({ descriptor }) => descriptor.group === group && descriptor.kind === kind)
  return inGroup.some(({ descriptor }) => descriptor.version === version || oldVersions[packageOf(group)]?.includes(version))
}

/** As upstream's packages are called: the first word of a group. */
function packageOf(group: string): string {
  return group === "" ? "core" : (group.split(".")[0] ?? group)
}
