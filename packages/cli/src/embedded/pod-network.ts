import { isSimulatedNode } from "@pilothouse/api"
import { nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { cidrContains, isLoopbackIp, parseCidr } from "@pilothouse/api/net"
import { type Processes, simulatedPodDialer } from "@pilothouse/nodes"
import { type Client, type ServerDialer, type ServerDialerOptions, serverDialer } from "@pilothouse/runtime"
import { abortable, type Clock, PilothouseError } from "@pilothouse/seams"

export interface PodNetworkOptions {
  readonly clock: Clock
  /** Asked for when a connection is opened. */
  readonly client: () => Client
  /** The pods that are processes, where there are some. */
  readonly processes?: Pick<Processes, "oneAddress" | "running"> | undefined
}

/** What kubelets give pods that are processes, and their nodes. */
const processAddresses = ["127.60.0.0/16", "127.64.0.0/10"].map((text) => parseCidr(text)!)

/** As long as a client waits: upstream has no limit either. */
const answerTimeout = "24h"

/** Ways to pods by their addresses: simulated ones answer in this process, processes at their own address, those of real kubelets over the network. */
export function podNetwork({ clock, client, processes }: PodNetworkOptions): ServerDialer {
  const simulated = simulatedPodDialer({ client })
  const connect: ServerDialerOptions["connect"] = async ({ host, port }, signal) => {
    const { items } = await abortable(client().list(pods, { fieldSelector: `status.podIP=${host}`, signal }), signal)
    if (!isLoopbackIp(host)) return (await isRouted(items, signal)) ? undefined : simulated.dial(host, port, signal)
    // Other programs of this host listen at loopback addresses too, and the status of a pod may say anything.
    if (items.some(isProcess) && isOfProcesses(host)) return undefined
    throw new PilothouseError("CONNECTION_LOST", `dial tcp ${host}:${port}: address not allowed: it is of no pod that is a process`)
  }
  return serverDialer({ clock, connect, answerTimeout })

  function isProcess(pod: Pod): boolean {
    return processes !== undefined && (pod.spec?.containers ?? []).some(({ name }) => processes.running(pod, name) !== undefined)
  }

  function isOfProcesses(address: string): boolean {
    return processes?.oneAddress === true || processAddresses.some((cidr) => cidrContains(cidr, address))
  }

  async function isRouted(found: readonly Pod[], signal: AbortSignal): Promise<boolean> {
    const name = found.find(({ status }) => status?.phase === "Running")?.spec?.nodeName ?? ""
    return name !== "" && !isSimulatedNode(await abortable(client().get(nodes, name, { signal }), signal))
  }
}
