import { apiVersionOf, badRequest, type Descriptor, type KubeObject, type Schema } from "@pilothouse/api"
import { messageOf, PilothouseError, queryValue } from "@pilothouse/seams"
import type { Call } from "./call.ts"
import { conform, type Findings, Misfit } from "./conform.ts"
import type { Draft } from "./draft.ts"

/** The kind a body must be of. */
export interface Expected {
  readonly kind: Pick<Descriptor, "group" | "version" | "kind">
  readonly schema: Schema | undefined
}

/** The object of a request's body: the server's own copy, with apiVersion, kind and metadata filled in. */
export function takeIn(call: Call, expected: Expected = expectedOf(call)): Draft<KubeObject> {
  return taken(call, call.body, expected)
}

export function expectedOf(call: Call): Expected {
  return { kind: call.resource.descriptor, schema: call.resource.schema }
}

/** The same for a value that came of a patch. */
export function taken(call: Call, value: unknown, expected: Expected): Draft<KubeObject> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw badRequest(
      value === undefined ? "unable to decode an empty body" : `expected an object, found ${JSON.stringify(value)?.slice(0, 60)}`,
    )
  }
  const { kind } = expected
  const apiVersion = checkKind(value, kind)
  const findings: Findings = { unknownFields: [] }
  const draft = conformedTo(value, expected, findings)
  reportUnknown(call, findings.unknownFields, kind)
  const metadata = isRecord(draft.metadata) ? draft.metadata : {}
  dropEmptyStrings(metadata)
  return { ...draft, apiVersion, kind: kind.kind, metadata }
}

function checkKind(value: object, expected: Expected["kind"]): string {
  const { apiVersion = "", kind = "" } = value as { readonly apiVersion?: string; readonly kind?: string }
  const wanted = apiVersionOf(expected)
  if (apiVersion !== "" && apiVersion !== wanted) {
    throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${wanted})`)
  }
  if (kind !== "" && kind !== expected.kind) throw cannotBeHandled(expected, "unknown conversion", kind)
  return wanted
}

function conformedTo(value: object, { kind, schema }: Expected, findings: Findings): Record<string, unknown> {
  try {
    return conform(value, schema ?? { type: "any" }, findings) as Record<string, unknown>
  } catch (error) {
    if (error instanceof Misfit || (error instanceof PilothouseError && error.code === "INVALID"))
      throw cannotBeHandled(kind, messageOf(error))
    throw error
  }
}

function cannotBeHandled(expected: Expected["kind"], why: string, kind = expected.kind): PilothouseError {
  return badRequest(`${kind} in version ${JSON.stringify(expected.version)} cannot be handled as a ${expected.kind}: ${why}`)
}

function reportUnknown(call: Call, unknown: readonly string[], kind: Expected["kind"]): void {
  if (unknown.length === 0) return
  const validation = queryValue(call.query, "fieldValidation") ?? "Warn"
  const texts = unknown.map((path) => `unknown field ${JSON.stringify(path)}`)
  if (validation === "Strict") throw cannotBeHandled(kind, `strict decoding error: ${texts.join(", ")}`)
  if (validation !== "Ignore") for (const text of texts) call.warnings.add(text)
}

/** Metadata fields are no pointers in Go: "" is the same as absent, and is not written. */
function dropEmptyStrings(metadata: Record<string, unknown>): void {
  for (const key of Object.keys(metadata)) if (metadata[key] === "") delete metadata[key]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null
}
