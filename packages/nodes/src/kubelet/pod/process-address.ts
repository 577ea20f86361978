import { type Pod, pods } from "@pilothouse/api/core/v1"
import { cidrContains, parseCidr } from "@pilothouse/api/net"
import type { Client } from "@pilothouse/runtime"
import { abortable, PilothouseError } from "@pilothouse/seams"
import type { Processes } from "../../process/processes.ts"

/** What kubelets give nodes of this host, and pods that are processes. */
const ranges = ["127.60.0.0/16", "127.64.0.0/10"].map((text) => parseCidr(text)!)

/**
 * Reports whether a kubelet gives it to pods that are processes, or to their nodes. Other programs of this host listen at other loopback addresses.
 */
export function isProcessAddress(address: string, oneAddress = false): boolean {
  return oneAddress ? address === "127.0.0.1" : ranges.some((cidr) => cidrContains(cidr, address))
}

/** Options of the addresses of process pods. */
export interface ProcessPodsOptions {
  readonly client: () => Client
  /** Absent where no pod is a process. */
  readonly processes?: Pick<Processes, "oneAddress" | "running"> | undefined
}

/**
 * Rejects unless a pod with a live process has this loopback address, in the ranges of kubelets: the status of a pod may say anything. The rule for every
 * connection that a client of the API server opens to a loopback address: port-forward, and the proxies of pods and Services.
 */
export async function requireProcessPod(
  { client, processes }: ProcessPodsOptions,
  { address, port }: { readonly address: string; readonly port: number },
  signal: AbortSignal,
): Promise<void> {
  if (processes !== undefined && isProcessAddress(address, processes.oneAddress)) {
    const { items } = await abortable(client().list(pods, { fieldSelector: `status.podIP=${address}`, signal }), signal)
    if (items.some((pod) => hasProcess(pod, processes))) return
  }
  throw new PilothouseError("CONNECTION_LOST", `dial tcp ${address}:${port}: address not allowed: it is of no pod that is a process`)
}

function hasProcess(pod: Pod, processes: Pick<Processes, "running">): boolean {
  return (pod.spec?.containers ?? []).some(({ name }) => processes.running(pod, name) !== undefined)
}
