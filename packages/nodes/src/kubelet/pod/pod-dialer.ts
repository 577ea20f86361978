import { type Duplex, duplexPair } from "node:stream"
import { nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { isLoopbackIp } from "@pilothouse/api/net"
import type { Client } from "@pilothouse/runtime"
import { abortable, PilothouseError, throwIfAborted } from "@pilothouse/seams"
import { isSimulated } from "../node/simulated-node.ts"
import { answering } from "./pod-answer.ts"
import { type ProcessPodsOptions, requireProcessPod } from "./process-address.ts"

/** How a load balancer reaches pods. */
export interface PodDialer {
  dial(address: string, port: number, signal: AbortSignal): Promise<Duplex>
  open(address: string, port: number, heard: DatagramListener): { send(message: Uint8Array): void; close(): void }
}

interface DatagramListener {
  receive(message: Uint8Array): void
  refused(): void
}

/** Where simulated pods are found, and how others are reached. */
export interface SimulatedPodDialerOptions {
  readonly client: () => Client
  /** Reaches pods that really listen: those whose address is one of this host. */
  readonly real?: PodDialer
  /** Connections to addresses of this host go to these only. Left out: to all of them, as of a load balancer, whose endpoints are checked when they are written. */
  readonly processes?: ProcessPodsOptions["processes"]
}

/**
 * Simulated pods have no address that could be dialled: they answer in this process, on every port, as long as they run.
 * HTTP is answered with the pod's name, anything else is sent back.
 */
export function simulatedPodDialer({ client, real, processes }: SimulatedPodDialerOptions): PodDialer {
  const running = async (address: string, port: number, signal: AbortSignal): Promise<Pod> => {
    throwIfAborted(signal)
    const api = client()
    const { items } = await abortable(api.list(pods, { fieldSelector: `status.podIP=${address}`, signal }), signal)
    const alive = items.filter(({ status }) => status?.phase === "Running")
    // Several pods of a node's own network share its address.
    const pod = alive.find((one) => declares(one, port)) ?? alive[0]
    if (pod === undefined)
      throw new PilothouseError("CONNECTION_LOST", `nothing listens at ${address}:${port}: no running pod has that address`)
    const node = await abortable(api.get(nodes, pod.spec?.nodeName ?? "", { signal }), signal)
    if (!isSimulated(node))
      throw new PilothouseError(
        "CONNECTION_LOST",
        `cannot reach ${address}:${port}: node ${node.metadata.name} is not simulated, and this process has no way into its pod network`,
      )
    return pod
  }
  return {
    async dial(address, port, signal) {
      if (real !== undefined && isLoopbackIp(address)) {
        if (processes !== undefined) await requireProcessPod({ client, processes }, { address, port }, signal)
        return real.dial(address, port, signal)
      }
      const pod = await running(address, port, signal)
      const [ours, theirs] = duplexPair({ allowHalfOpen: true })
      serve(ours, pod)
      return theirs
    },
    open(address, port, heard) {
      if (real !== undefined && isLoopbackIp(address)) return real.open(address, port, heard)
      return simulatedFlow((signal) => running(address, port, signal), heard)
    },
  }
}

/** Asks once who listens: the flow ends when its pod is not ready any more. */
function simulatedFlow(find: (signal: AbortSignal) => Promise<Pod>, { receive, refused }: DatagramListener): ReturnType<PodDialer["open"]> {
  const closed = new AbortController()
  let found: Promise<Pod> | undefined
  return {
    send: (message) => {
      found ??= find(closed.signal)
      found.then(
        () => {
          if (!closed.signal.aborted) receive(message)
        },
        () => {
          // A datagram to an unknown address is lost, as datagrams are. The next may find a pod.
          found = undefined
          if (!closed.signal.aborted) refused()
        },
      )
    },
    close: () => closed.abort(),
  }
}

function declares({ spec }: Pod, port: number): boolean {
  return spec?.containers.some(({ ports }) => ports?.some(({ containerPort }) => containerPort === port)) ?? false
}

function serve(connection: Duplex, pod: Pod): void {
  const answers = answering(pod)
  // A client that goes away in the middle is no fault of the pod.
  connection.on("error", () => connection.destroy())
  connection.on("data", (bytes: Buffer) => {
    const { send, end } = answers.take(bytes)
    if (send.length > 0 && !connection.write(send)) {
      connection.pause()
      connection.once("drain", () => connection.resume())
    }
    if (end) connection.end()
  })
  connection.on("end", () => connection.end())
}
