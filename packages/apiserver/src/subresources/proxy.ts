import { badRequest, notFound } from "@pilothouse/api"
import { nodes } from "@pilothouse/api/core/v1"
import type { TransportResponse } from "@pilothouse/seams"
import { admitConnect } from "../objects/admit-request.ts"
import type { ProxyTarget } from "../proxy/proxy-target.ts"
import { readObject } from "../registry/object-key.ts"
import type { Call } from "../server/call.ts"
import { askKubelet } from "./pod-host.ts"

/** Sends the rest of the path to the kubelet of the node. */
export async function nodeProxy(call: Call): Promise<TransportResponse> {
  const { server, name } = call
  if (readObject(server.storage, server.registry.of(nodes), undefined, name) === undefined) throw notFound(nodes, name)
  const path = await admittedPath(call)
  const parts = path.split("/").filter((part) => part !== "")
  return askKubelet(call, name, parts)
}

/** Proxies a request to a port of a pod: /api/v1/namespaces/shop/pods/web:8080/proxy/path. */
export function podProxy(call: Call): Promise<TransportResponse> {
  return proxied(call, async () => (await targets()).podTarget(call))
}

/** Proxies a request to a ready endpoint of a Service, by the name or number of a port. */
export function serviceProxy(call: Call): Promise<TransportResponse> {
  return proxied(call, async () => (await targets()).serviceTarget(call))
}

/** Loaded with the first request for them. */
function targets() {
  return import("../proxy/proxy-target.ts")
}

async function proxied(call: Call, target: () => Promise<ProxyTarget>): Promise<TransportResponse> {
  const path = await admittedPath(call)
  const { proxyToTarget } = await import("../proxy/proxy-to-target.ts")
  return proxyToTarget(call, await target(), path)
}

/** What admission has left of the path. */
async function admittedPath(call: Call): Promise<string> {
  if (call.query.dryRun !== undefined) throw badRequest("dryRun is not supported")
  return (await admitConnect(call)).path ?? ""
}
