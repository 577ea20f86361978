import { badRequest, notFound, serviceUnavailable } from "@pilothouse/api"
import { nodes, services } from "@pilothouse/api/core/v1"
import type { TransportResponse } from "@pilothouse/seams"
import { admitConnect } from "../objects/admit-request.ts"
import { readObject } from "../registry/object-key.ts"
import type { Call } from "../server/call.ts"
import { askKubelet, podOf } from "./pod-host.ts"

/** What follows "proxy" is for the node itself: its kubelet answers. */
export async function nodeProxy(call: Call): Promise<TransportResponse> {
  const { server, name } = call
  if (readObject(server.storage, server.registry.of(nodes), undefined, name) === undefined) throw notFound(nodes, name)
  const { path = "" } = await admitConnect(call)
  return askKubelet(
    call,
    name,
    path.split("/").filter((part) => part !== ""),
  )
}

/** This server has no way into the network of pods, so a pod with an address is as far away as one without. */
export async function podProxy(call: Call): Promise<TransportResponse> {
  // A port or a scheme may stand beside the name: "https:web:8443".
  const { status } = podOf({ ...call, name: hostOf(call.name) })
  await admitConnect(call)
  if ((status?.podIP ?? "") === "") throw badRequest("address not allowed")
  throw serviceUnavailable(`error trying to reach service: this server has no way into the pod network (${status?.podIP})`)
}

export async function serviceProxy(call: Call): Promise<TransportResponse> {
  const { server, namespace } = call
  const name = hostOf(call.name)
  if (readObject(server.storage, server.registry.of(services), namespace, name) === undefined) throw notFound(services, name)
  await admitConnect(call)
  throw serviceUnavailable(`no endpoints available for service "${name}"`)
}

function hostOf(text: string): string {
  const parts = text.split(":")
  return (parts.length === 3 ? parts[1] : parts[0]) ?? ""
}
