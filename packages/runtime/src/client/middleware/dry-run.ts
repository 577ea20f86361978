import { formatTime, type KubeObject, statusOf, successStatus } from "@pilothouse/api"
import {
  type Body,
  type Clock,
  parseJson,
  type Query,
  type Random,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type Verb,
  valueBody,
} from "@pilothouse/seams"

/** A write that was not sent. */
export interface RecordedWrite {
  readonly verb: Exclude<Verb, "GET">
  readonly path: string
  readonly query: Query
  /** The content type of a patch; undefined without a body. */
  readonly contentType?: string
  readonly body?: unknown
}

/** Dependencies of a dry run, and the callback for writes. */
export interface DryRunOptions {
  readonly clock: Clock
  readonly random: Random
  readonly record: (write: RecordedWrite) => void
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Passes reads; records writes instead of sending them, and answers as the server would as far as possible:
 * nothing is admitted, defaulted or validated, and later reads do not show what was written.
 * Created objects have no resourceVersion, so no write barrier waits for them.
 */
export function dryRun(inner: Transport, options: DryRunOptions): Transport {
  return async (request) => {
    const { verb, path, query } = request
    if (verb === "GET") return inner(request)
    const body = request.body && bodyValue(request.body)
    options.record({ verb, path, query, contentType: request.headers["content-type"], body })
    if (verb === "POST") return created(path, body as Fields, options)
    if (verb === "PUT") return response(200, body)
    return verb === "PATCH" ? patchAnswer(inner, request, body) : deleteAnswer(inner, request)
  }
}

function created(path: string, body: Fields, { clock, random }: DryRunOptions): TransportResponse {
  const { subresource } = splitPath(path)
  // An eviction or a binding is answered with a Status; others with the body.
  if (subresource === "eviction" || subresource === "binding") return response(201, successStatus())
  if (subresource !== undefined) return response(201, body)
  const { generateName, ...metadata } = (body.metadata ?? {}) as { readonly name?: string; readonly generateName?: string }
  const name = metadata.name ?? `${generateName ?? ""}${random.letters(5)}`
  const made = {
    ...metadata,
    ...(generateName && { generateName }),
    name,
    uid: random.uuid(),
    generation: 1,
    creationTimestamp: formatTime(clock.now()),
  }
  return response(201, { ...body, metadata: made })
}

async function patchAnswer(inner: Transport, request: TransportRequest, patch: unknown): Promise<TransportResponse> {
  const type = request.headers["content-type"] ?? ""
  const present = await currentObject(inner, request)
  // Server-side apply creates a missing object.
  if (present.status === 404 && type.startsWith("application/apply-patch")) return response(201, patch)
  if (present.status !== 200) return present
  try {
    return response(200, await applyPatch(bodyValue(present.body as Body), patch, type))
  } catch (error) {
    const status = statusOf(error)
    return response(status.code ?? 500, status)
  }
}

async function deleteAnswer(inner: Transport, request: TransportRequest): Promise<TransportResponse> {
  const { plural, name } = splitPath(request.path)
  if (name === undefined) return response(200, successStatus())
  const present = await currentObject(inner, request)
  return present.status === 200 ? response(200, successStatus({ name, kind: plural })) : present
}

/** Reads the current object, without the subresource. */
function currentObject(inner: Transport, { path, headers, signal }: TransportRequest): Promise<TransportResponse> {
  const { "content-type": _, ...others } = headers
  return inner({ verb: "GET", path: splitPath(path).object, query: {}, headers: others, signal })
}

function response(status: number, value: unknown): TransportResponse {
  return { status, headers: { "content-type": "application/json" }, body: valueBody(value) }
}

function bodyValue(body: Body): unknown {
  return body.type === "value" ? body.value : parseJson(new TextDecoder().decode(body.bytes))
}

/** Applies a patch to an object. Patch code and schemas are loaded on demand. */
async function applyPatch(object: unknown, patch: unknown, contentType: string): Promise<unknown> {
  const { applyJsonPatch, applyMergePatch, applyStrategicMerge } = await import("@pilothouse/api/patch")
  if (contentType.startsWith("application/json-patch")) return applyJsonPatch(object, patch)
  if (contentType.startsWith("application/merge-patch")) return applyMergePatch(object, patch)
  const { schemaOf } = await import("@pilothouse/api/schemas")
  const { apiVersion, kind } = object as KubeObject
  const [version = "", group = ""] = apiVersion.split("/").reverse()
  const schema = schemaOf({ group, version, kind })
  // Custom resources have no strategic merge; servers refuse it. A server-side apply merges the same lists by the same keys.
  return schema === undefined ? applyMergePatch(object, patch) : applyStrategicMerge(object, patch, schema)
}

/** The parts of an API path. */
interface SplitPath {
  readonly plural: string
  readonly name?: string
  readonly subresource?: string
  /** The path without the subresource. */
  readonly object: string
}

/** "/apis/apps/v1/namespaces/default/deployments/web/scale" has the parts deployments, web, scale. */
function splitPath(path: string): SplitPath {
  const parts = path.split("/").slice(1)
  const root = parts[0] === "api" ? 2 : 3
  // A namespace itself is at /api/v1/namespaces/<name>, optionally with "finalize" or "status".
  const inNamespace = parts[root] === "namespaces" && parts.length > root + 2 && !["finalize", "status"].includes(parts[root + 2] ?? "")
  const at = inNamespace ? root + 2 : root
  const [plural = "", name, ...subresource] = parts.slice(at)
  return {
    plural,
    name: name && decodeURIComponent(name),
    subresource: subresource.length === 0 ? undefined : subresource.join("/"),
    object: `/${parts.slice(0, at + 2).join("/")}`,
  }
}
