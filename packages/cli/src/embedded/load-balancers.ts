import {
  createCloudControllers,
  isServiceControllerSelected,
  LoopbackCloud,
  loopbackCounters,
  loopbackEndpointsController,
  loopbackProvider,
  NodePorts,
  nodePortsController,
  systemDialer,
} from "@pilothouse/cloud"
import { simulatedPodDialer } from "@pilothouse/nodes"
import type { Client, Controller } from "@pilothouse/runtime"
import type { Clock, Log, Metrics } from "@pilothouse/seams"

export interface EmbeddedBalancersOptions {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  /** Asked for when a connection comes: it reaches the server that is being made. */
  readonly client: () => Client
  /** Whether nodes are this host, with real processes on them: then their node ports are open too. */
  readonly exec?: boolean
  /** As --controllers. */
  readonly select?: readonly string[]
}

/** Disposing closes every port. */
export interface EmbeddedBalancers extends AsyncDisposable {
  readonly controllers: readonly Controller[]
}

/** Services of type LoadBalancer get addresses of this host, which forward to pods: real ones by socket, simulated ones in this process. */
export function embeddedBalancers({ clock, log, metrics, client, exec, select = ["*"] }: EmbeddedBalancersOptions): EmbeddedBalancers {
  if (!isServiceControllerSelected(select)) return { controllers: [], [Symbol.asyncDispose]: async () => {} }
  // Balancers and node ports of a Service count in the same series, which go with the last of them.
  const seams = { clock, log, metrics, counters: loopbackCounters(metrics), dialer: simulatedPodDialer({ client, real: systemDialer }) }
  const cloud = new LoopbackCloud(seams)
  const nodePorts = exec ? new NodePorts(seams) : undefined
  const provider = (clusterName: string) => loopbackProvider({ cloud, clusterName })
  // The provider has load balancers only: its other controllers would say that they cannot run.
  const { controllers } = createCloudControllers({ provider, clock, log, metrics, select: ["service"] })
  return {
    controllers: [
      ...controllers,
      loopbackEndpointsController({ cloud }),
      ...(nodePorts === undefined ? [] : [nodePortsController(nodePorts)]),
    ],
    async [Symbol.asyncDispose]() {
      await Promise.all([cloud[Symbol.asyncDispose](), nodePorts?.[Symbol.asyncDispose]()])
    },
  }
}
