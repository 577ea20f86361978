import { isSimulatedNode } from "@pilothouse/api"
import { nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { isLoopbackIp } from "@pilothouse/api/net"
import { type ProcessPodsOptions, requireProcessPod, simulatedPodDialer } from "@pilothouse/nodes"
import { type ServerDialer, type ServerDialerOptions, serverDialer } from "@pilothouse/runtime"
import { abortable, type Clock } from "@pilothouse/seams"

/** The client is asked for when a connection is opened. */
export interface PodNetworkOptions extends ProcessPodsOptions {
  readonly clock: Clock
}

/** As long as a client waits: upstream has no limit either. */
const answerTimeout = "24h"

/** Ways to pods by their addresses: simulated ones answer in this process, processes at their own address, those of real kubelets over the network. */
export function podNetwork({ clock, client, processes }: PodNetworkOptions): ServerDialer {
  const simulated = simulatedPodDialer({ client })
  const connect: ServerDialerOptions["connect"] = async ({ host, port }, signal) => {
    if (isLoopbackIp(host)) {
      await requireProcessPod({ client, processes }, { address: host, port }, signal)
      return undefined
    }
    const { items } = await abortable(client().list(pods, { fieldSelector: `status.podIP=${host}`, signal }), signal)
    return (await isRouted(items, signal)) ? undefined : simulated.dial(host, port, signal)
  }
  return serverDialer({ clock, connect, answerTimeout })

  async function isRouted(found: readonly Pod[], signal: AbortSignal): Promise<boolean> {
    const name = found.find(({ status }) => status?.phase === "Running")?.spec?.nodeName ?? ""
    return name !== "" && !isSimulatedNode(await abortable(client().get(nodes, name, { signal }), signal))
  }
}
