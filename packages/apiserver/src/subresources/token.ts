import { badRequest, conflict, fieldError, formatTime, type Int64, invalid, type KubeObject, notFound } from "@pilothouse/api"
import type { BoundObjectReference, TokenRequest } from "@pilothouse/api/authentication/v1"
import { nodes, type Pod, pods, secrets } from "@pilothouse/api/core/v1"
import { schemaOf } from "@pilothouse/api/schemas"
import type { TransportResponse } from "@pilothouse/seams"
import type { Draft } from "../body/draft.ts"
import { admitRequest } from "../objects/admit-request.ts"
import { decodeBody } from "../objects/decode-object.ts"
import { matchNamespace } from "../objects/metadata.ts"
import { readObject } from "../registry/object-key.ts"
import { noSuchResource } from "../request/no-such-resource.ts"
import { valueResponse } from "../response/response.ts"
import type { Call } from "../server/call.ts"
import type { Bound } from "../tokens/bound-objects.ts"
import type { ServiceAccountTokens } from "../tokens/service-account-tokens.ts"

const kind = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" }
const defaultSeconds = 3600
const minSeconds = 600

/** The life that kubelets request for the tokens of pods; upstream extends it to a year, so that programs that never read a new token go on working. */
const extendedLife = { requested: 3607, seconds: 365 * 24 * 3600 }

/** Issues a token of a service account, bound to an object if the request says so. */
export async function token(call: Call): Promise<TransportResponse> {
  const { server, resource, namespace = "", name, dryRun, warnings } = call
  const { serviceAccountTokens: tokens } = server
  if (tokens === undefined) throw noSuchResource()
  const decoded = decodeBody(call, { kind, schema: schemaOf(kind) })
  matchNamespace(call, decoded)
  await admitRequest(call, "CREATE", kind, decoded)
  const { spec = {}, metadata: given, ...request } = decoded as Draft<TokenRequest>
  checkName(given?.name, name)
  const account = readObject(server.storage, resource, namespace, name)
  if (account === undefined) throw notFound(resource.descriptor, name)
  checkUid(given?.uid, account)
  const { expirationSeconds: asked = defaultSeconds, boundObjectRef } = spec
  checkSeconds(asked)
  const audiences = requestedAudiences(spec, tokens)
  const bindings = boundTo(call, boundObjectRef)
  const seconds = Math.min(Number(asked), tokens.maxSeconds)
  if (seconds < Number(asked)) warnings.add(`requested expiration of ${asked} seconds shortened to ${seconds} seconds`)
  const isExtended = bindings.pod !== undefined && isExtendedLife(tokens, audiences, seconds)
  const now = Math.floor(server.clock.now() / 1000)
  const bound: Bound = {
    namespace,
    ...bindings,
    serviceaccount: reference(account),
    ...(isExtended && { warnafter: now + seconds }),
  }
  const { token: text } = tokens.issue(bound, audiences, isExtended ? extendedLife.seconds : seconds)
  const metadata = { name, namespace, uid: account.metadata.uid, creationTimestamp: formatTime(server.clock.now()) }
  const status = { token: dryRun ? "" : text, expirationTimestamp: formatTime((now + seconds) * 1000) }
  return valueResponse(call, { ...request, metadata, spec: { ...spec, audiences, expirationSeconds: seconds }, status }, 201)
}

function requestedAudiences(
  { audiences = [] }: { readonly audiences?: readonly string[] },
  tokens: ServiceAccountTokens,
): readonly string[] {
  return audiences.length === 0 ? tokens.audiences : audiences
}

function isExtendedLife(tokens: ServiceAccountTokens, audiences: readonly string[], seconds: number): boolean {
  const isOwn = audiences.every((audience) => tokens.audiences.includes(audience))
  return tokens.extendExpiration && seconds === extendedLife.requested && isOwn
}

function checkName(given: string | undefined, name: string): void {
  if ((given ?? "") === "" || given === name) return
  throw invalid(kind, name, [fieldError.invalid("metadata.name", given, "must match the service account name if specified")])
}

function checkUid(given: string | undefined, { metadata: { name = "", uid } }: KubeObject): void {
  if ((given ?? "") === "" || given === uid) return
  const why = `the UID in the token request (${given}) does not match the UID of the service account (${uid})`
  throw conflict({ group: kind.group, plural: kind.kind }, name, why)
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
  const [version = "", group = ""] = apiVersion.split("/").reverse()
  if (group !== "" || !Object.hasOwn(kinds, named)) {
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
  const { nodeName = "" } = pod.spec
  const node = nodeName === "" ? undefined : readObject(server.storage, server.registry.of(nodes), undefined, nodeName)
  return { ...(nodeName !== "" && { node: node === undefined ? { name: nodeName } : reference(node) }), pod: reference(pod) }
}
