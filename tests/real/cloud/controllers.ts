import { setTimeout as delay } from "node:timers/promises"
import { type CloudProvider, createCloudControllers } from "@pilothouse/cloud"
import { createManager, defaultTransport } from "@pilothouse/runtime"
import { systemClock, systemRandom } from "@pilothouse/seams/system"

export interface RunningControllers extends AsyncDisposable {
  stop(): Promise<void>
  /** A second after the condition holds: long enough for a write that should not be. */
  settled(condition: () => boolean): Promise<void>
}

export async function startCloudControllers(
  kubeconfig: string,
  provider: () => CloudProvider,
  select = ["*", "-cloud-node-lifecycle"],
): Promise<RunningControllers> {
  const transport = await defaultTransport({ kubeconfig })
  const settings = { "allocate-node-cidrs": true, "cluster-cidr": "10.244.0.0/16" }
  const { controllers, checks } = createCloudControllers({ provider, clock: systemClock, select, settings })
  const manager = createManager({
    controllers,
    checks: () => checks,
    transport: transport.transport,
    clock: systemClock,
    random: systemRandom(),
  })
  const stopping = new AbortController()
  const ended = manager.run(stopping.signal)
  const stop = async () => {
    stopping.abort()
    await ended
    await transport.close()
  }
  return {
    stop,
    async settled(condition) {
      while (!condition()) await delay(20)
      await delay(1000)
    },
    [Symbol.asyncDispose]: stop,
  }
}
