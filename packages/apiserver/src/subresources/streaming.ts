import { badRequest } from "@pilothouse/api"
import type { Query, TransportResponse } from "@pilothouse/seams"
import { admitConnect, type ConnectOptions } from "../objects/admit-request.ts"
import type { Call } from "../server/call.ts"
import { askKubelet, containerOf, podOf } from "./pod-host.ts"

/** exec, attach, portforward: the connection belongs to the node that runs the pod. */
export async function streaming(call: Call): Promise<TransportResponse> {
  const pod = podOf(call)
  const options = await admitConnect(call)
  const place = [call.namespace ?? "", call.name]
  const forwards = call.subresource === "portforward"
  const container = forwards ? [] : [containerOf(pod, options.container)]
  const node = pod.spec?.nodeName ?? ""
  if (node === "") throw badRequest(`pod ${call.name} does not have a host assigned`)
  if (!/\bupgrade\b/i.test(call.headers.connection ?? "") || (call.headers.upgrade ?? "") === "")
    throw badRequest("Upgrade request required")
  return askKubelet(call, node, [forwards ? "portForward" : call.subresource, ...place, ...container], queryOf(options))
}

/** The parameters of a kubelet, in the order of upstream: those that admission has left. */
function queryOf({ command, ports, ...options }: ConnectOptions): Query {
  const flags = (["stdin", "stdout", "stderr", "tty"] as const).filter((name) => options[name] === true).map((name) => [name, "1"])
  return {
    ...Object.fromEntries(flags),
    ...(command !== undefined && command.length > 0 && { command }),
    ...(ports !== undefined && ports.length > 0 && { ports: ports.map(String) }),
  }
}
