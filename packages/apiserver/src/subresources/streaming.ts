import { badRequest } from "@pilothouse/api"
import type { Query, TransportResponse } from "@pilothouse/seams"
import { authorize } from "../authorization/authorize.ts"
import { admitConnect, type ConnectOptions } from "../objects/admit-request.ts"
import type { Call } from "../server/call.ts"
import { askKubelet, containerOf, podOf } from "./pod-host.ts"

/** exec, attach, portforward: the connection belongs to the node that runs the pod. */
export async function streaming(call: Call): Promise<TransportResponse> {
  const options = await admitConnect(call)
  await authorizeCreate(call)
  const pod = podOf(call)
  const place = [call.namespace ?? "", call.name]
  const forwards = call.subresource === "portforward"
  const container = forwards ? [] : [containerOf(pod, options.container)]
  const node = pod.spec?.nodeName ?? ""
  if (node === "") throw badRequest(`pod ${call.name} does not have a host assigned`)
  if (!/upgrade/i.test(call.headers.connection ?? "")) throw badRequest("Upgrade request required")
  return askKubelet(call, node, [forwards ? "portForward" : call.subresource, ...place, ...container], queryOf(options))
}

/** Browsers and WebSocket clients can only send GET: the right to read a pod is not one to run commands in it. */
async function authorizeCreate({ server, identity, resource, verb, namespace = "", name, subresource }: Call): Promise<void> {
  if (verb === "create") return
  const { group, version, plural } = resource.descriptor
  await authorize(server.authorizer, identity, { verb: "create", group, version, resource: plural, subresource, namespace, name })
}

/** By the names of exec's and attach's options: what kubelets call them. */
const parameters = { stdin: "input", stdout: "output", stderr: "error", tty: "tty" } as const

/** The parameters of a kubelet: what admission has left of the options. */
function queryOf({ command, ports, ...options }: ConnectOptions): Query {
  const flags = Object.entries(parameters).filter(([name]) => options[name as keyof typeof parameters] === true)
  return {
    ...Object.fromEntries(flags.map(([, parameter]) => [parameter, "1"])),
    ...(command !== undefined && command.length > 0 && { command }),
    ...(ports !== undefined && ports.length > 0 && { port: ports.join(",") }),
  }
}
