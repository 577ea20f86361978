import { badRequest, notFound, serviceUnavailable } from "@pilothouse/api"
import { type Container, type Pod, pods } from "@pilothouse/api/core/v1"
import type { Transport, TransportRequest, TransportResponse, Verb } from "@pilothouse/seams"
import { readObject } from "../registry/object-key.ts"
import type { ApiVerb } from "../request/request-info.ts"
import { hopByHopHeaders } from "../response/hop-by-hop-headers.ts"
import type { Call } from "../server/call.ts"

export function podOf({ server, namespace, name }: Call): Pod {
  const pod = readObject(server.storage, server.registry.of(pods), namespace, name)
  if (pod === undefined) throw notFound(pods, name)
  return pod
}

/** The container that is meant: the one that is named, or the only one there is. */
export function containerOf({ metadata, spec }: Pod, asked: string | undefined): string {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {}
  if (asked !== undefined && asked !== "") {
    if ([...containers, ...initContainers, ...ephemeralContainers].some(({ name }) => name === asked)) return asked
    throw badRequest(`container ${asked} is not valid for pod ${metadata.name}`)
  }
  if (containers.length === 1) return containers[0]!.name
  const choice = containers.length === 0 ? "" : `, choose one of: [${names([...initContainers, ...containers, ...ephemeralContainers])}]`
  throw badRequest(`a container name must be specified for pod ${metadata.name}${choice}`)
}

function names(containers: readonly Pick<Container, "name">[]): string {
  return containers.map(({ name }) => name).join(" ")
}

export function kubeletOf({ server }: Call, node: string): Transport {
  const kubelet = server.kubelet?.(node)
  if (kubelet === undefined) throw serviceUnavailable(`the kubelet of node "${node}" cannot be reached from this server`)
  return kubelet
}

const methods: Readonly<Record<ApiVerb, Verb>> = {
  get: "GET",
  list: "GET",
  watch: "GET",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETE",
}

/** Asks a kubelet the same question under its own path; its answer is the answer. */
export async function askKubelet(call: Call, node: string, parts: readonly string[], query = call.query): Promise<TransportResponse> {
  const { verb, headers, signal, sent, upgrade } = call
  const path = `/${parts.map(encodeURIComponent).join("/")}`
  const { authorization: _ours, ...others } = headers
  const request: TransportRequest = { verb: methods[verb], path, query, headers: others, signal, ...(upgrade !== undefined && { upgrade }) }
  const response = await kubeletOf(call, node)(sent.body === undefined ? request : { ...request, body: sent.body })
  const kept = Object.entries(response.headers).filter(([name]) => !hopByHopHeaders.has(name))
  return { ...response, headers: Object.fromEntries(kept) }
}
