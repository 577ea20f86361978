import { badRequest, isNotFound, notFound, StatusError, serviceUnavailable, statusOf } from "@pilothouse/api"
import { type Node, nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { type Clock, lazy, type Transport, type TransportRequest, type TransportResponse, valueBody } from "@pilothouse/seams"
import type { Processes } from "../process/processes.ts"
import type { StreamingServer } from "../streaming/streaming-server.ts"
import { type ContainerLogsOptions, containerLogs } from "./logs/container-logs.ts"
import { isSimulated } from "./node/simulated-node.ts"
import type { PodDialer } from "./pod/pod-dialer.ts"

/** What a kubelet API answers from. */
export interface KubeletApiOptions {
  readonly clock: Clock
  /** Asked for at the first request: the API server that it reaches is made with this. */
  readonly client: () => Client
  /** What processes have printed; only where there are any. */
  readonly printed?: ContainerLogsOptions["printed"]
  /** The processes of pods, where there are some: commands run in them. */
  readonly processes?: Processes
  /** How ports of pods are reached; without it none is forwarded. */
  readonly dialer?: PodDialer
  /** Reaches the kubelet of a node that is not simulated; without it everything is refused there. */
  readonly remote?: (node: Node) => Transport
}

/**
 * Serves what an API server requests from the kubelet of a simulated node: logs, and streams of pods that are processes.
 * What is for a node of a real kubelet goes to that, or is refused with 503 where this process has no way to it: it must not answer in its place.
 */
export function kubeletApi(options: KubeletApiOptions): (node: string) => Transport {
  // Loaded with the first stream.
  const streaming = lazy(async () => {
    const { StreamingServer } = await import("../streaming/streaming-server.ts")
    return new StreamingServer(options)
  })
  return (node) => async (request) => {
    try {
      return await answer(node, request, options, streaming)
    } catch (error) {
      if (!(error instanceof StatusError)) throw error
      return { status: error.statusCode, headers: { "content-type": "application/json" }, body: valueBody(statusOf(error)) }
    }
  }
}

async function answer(
  node: string,
  request: TransportRequest,
  options: KubeletApiOptions,
  streaming: () => Promise<StreamingServer>,
): Promise<TransportResponse> {
  const [what = "", namespace = "", name = "", container = ""] = partsOf(request.path)
  const found = await options.client().get(nodes, node)
  if (!isSimulated(found)) {
    if (options.remote === undefined) throw notDialled(node)
    return options.remote(found)(request)
  }
  const podOf = (space: string, called: string) => podOn(options.client(), node, space, called)
  if (what === "containerLogs") return containerLogs({ namespace, name, container }, request, { ...options, podOf })
  if (what === "healthz") return { status: 200, headers: {}, body: { type: "bytes", bytes: Buffer.from("ok"), contentType: "text/plain" } }
  if (what === "exec" || what === "attach" || what === "portForward") {
    const pod = await podOf(namespace, name)
    if (pod === undefined) throw notFound(pods, name)
    return (await streaming())[what]({ pod, container, request })
  }
  throw notFound(nodes, node)
}

function partsOf(path: string): readonly string[] {
  try {
    return path.split("/").slice(1).map(decodeURIComponent)
  } catch {
    throw badRequest(`expected a path whose escapes can be read, found ${path}: write % as %25`)
  }
}

async function podOn(client: Client, node: string, namespace: string, name: string): Promise<Pod | undefined> {
  try {
    const pod = await client.get(pods, `${namespace}/${name}`)
    return pod.spec?.nodeName === node ? pod : undefined
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

function notDialled(node: string): StatusError {
  const missing = "logs, exec, attach, port-forward and the proxy of the node are not available"
  return serviceUnavailable(`node "${node}" is not simulated by this server, which cannot connect to kubelets yet: ${missing}`)
}
