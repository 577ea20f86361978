import { badRequest, conflict, fieldError, formatTime, type Int64, invalid, type KubeObject, notFound } from "@pilothouse/api"
import type { BoundObjectReference, TokenRequest } from "@pilothouse/api/authentication/v1"
import { nodes, type Pod, pods, secrets } from "@pilothouse/api/core/v1"
import { schemaOf } from "@pilothouse/api/schemas"
import type { TransportResponse } from "@pilothouse/seams"
import type { Draft } from "../body/draft.ts"
import { admitRequest } from "../objects/admit-request.ts"
import { decodeBody } from "../objects/decode-object.ts"
import { readObject } from "../registry/object-key.ts"
import { noSuchResource } from "../request/no-such-resource.ts"
import { valueResponse } from "../response/response.ts"
import type { Call } from "../server/call.ts"
import type { Bound } from "../tokens/service-account-tokens.ts"

const kind = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" }
const defaultSeconds = 3600
const minSeconds = 600

/** A token for a service account, bound to an object if the request says so. */
export async function token(call: Call): Promise<TransportResponse> {
  const { server, resource, namespace = "", name, dryRun } = call
  if (server.serviceAccountTokens === undefined) throw noSuchResource()
  const body = decodeBody(call, { kind, schema: schemaOf(kind) }) as Draft<TokenRequest>
  await admitRequest(call, "CREATE", kind, body)
  const { spec = {}, ...request } = body
  const account = readObject(server.storage, resource, namespace, name)
  if (account === undefined) throw notFound(resource.descriptor, name)
  const { expirationSeconds: seconds = defaultSeconds, boundObjectRef } = spec
  checkSeconds(seconds)
  const audiences = (spec.audiences ?? []).length === 0 ? server.serviceAccountTokens.audiences : (spec.audiences ?? [])
  const bound: Bound = { namespace, serviceaccount: reference(account), ...boundTo(call, boundObjectRef) }
  const { token: text, expires } = server.serviceAccountTokens.issue(bound, audiences, Number(seconds))
  const metadata = { name, namespace, creationTimestamp: formatTime(server.clock.now()) }
  const status = { token: dryRun ? "" : text, expirationTimestamp: formatTime(expires) }
  return valueResponse(call, { ...request, metadata, spec: { ...spec, audiences, expirationSeconds: seconds }, status }, 201)
}

function checkSeconds(seconds: Int64): void {
  const field = "spec.expirationSeconds"
  const short = seconds < minSeconds ? "may not specify a duration less than 10 minutes" : undefined
  const fault = seconds > 2 ** 32 ? "may not specify a duration larger than 2^32 seconds" : short
  if (fault !== undefined) throw invalid(kind, "", [fieldError.invalid(field, seconds, fault)])
}

function reference({ metadata }: KubeObject): { readonly name: string; readonly uid: string } {
  return { name: metadata.name ?? "", uid: metadata.uid ?? "" }
}

const kinds = { Pod: pods, Secret: secrets, Node: nodes } as const

function boundTo(call: Call, ref: BoundObjectReference | undefined): Partial<Bound> {
  if (ref === undefined) return {}
  const { apiVersion = "", kind: named = "", name = "", uid } = ref
  if (apiVersion !== "v1" || !Object.hasOwn(kinds, named)) {
    const [version = "", group = ""] = apiVersion.split("/").reverse()
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${named}`)
  }
  const descriptor = kinds[named as keyof typeof kinds]
  const { server } = call
  const object = readObject(server.storage, server.registry.served(descriptor), named === "Node" ? undefined : call.namespace, name)
  if (object === undefined) throw notFound(descriptor, name)
  if (uid !== undefined && uid !== object.metadata.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`
    throw conflict({ group: "", plural: named }, name, why)
  }
  if (named === "Pod") return boundToPod(call, object as Pod)
  return named === "Secret" ? { secret: reference(object) } : { node: reference(object) }
}

function boundToPod({ server, name }: Call, pod: Pod): Partial<Bound> {
  if (pod.spec?.serviceAccountName !== name) {
    throw badRequest(`cannot bind token for serviceaccount "${name}" to pod running with different serviceaccount name.`)
  }
  const node = readObject(server.storage, server.registry.of(nodes), undefined, pod.spec.nodeName ?? "")
  return { pod: reference(pod), ...(node && { node: reference(node) }) }
}
