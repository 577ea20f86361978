import { badRequest } from "@pilothouse/api"
import { queryValue, type TransportResponse } from "@pilothouse/seams"
import { admitConnect } from "../objects/admit-request.ts"
import type { Call } from "../server/call.ts"
import { askKubelet, containerOf, podOf } from "./pod-host.ts"

/** exec, attach, portforward: the connection belongs to the node that runs the pod. */
export async function streaming(call: Call): Promise<TransportResponse> {
  const pod = podOf(call)
  await admitConnect(call)
  const place = [call.namespace ?? "", call.name]
  const forwards = call.subresource === "portforward"
  const container = forwards ? [] : [containerOf(pod, queryValue(call.query, "container"))]
  const node = pod.spec?.nodeName ?? ""
  if (node === "") throw badRequest(`pod ${call.name} does not have a host assigned`)
  if (!/\bupgrade\b/i.test(call.headers.connection ?? "") || (call.headers.upgrade ?? "") === "")
    throw badRequest("Upgrade request required")
  const { container: _named, ...query } = call.query
  return askKubelet(call, node, [forwards ? "portForward" : call.subresource, ...place, ...container], query)
}
