import { type Client, type Controller, createManager, defaultTransport } from "@pilothouse/runtime"
import { type HeaderMap, silentLog, type Transport } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import type { ControlPlane } from "./control-plane.ts"

/** Controllers that run in this process, until disposed. */
export interface RunningControllers extends AsyncDisposable {
  readonly client: Client
}

/** Runs controllers of ours against the real API server, as its administrator; `userAgent` names them in its audit log. */
export async function runControllers(
  plane: ControlPlane,
  controllers: readonly Controller[],
  userAgent?: string,
): Promise<RunningControllers> {
  const server = await defaultTransport({ kubeconfig: plane.kubeconfig("admin"), clock: systemClock })
  const named: HeaderMap = userAgent === undefined ? {} : { "user-agent": userAgent }
  const transport: Transport = (request) => server.transport({ ...request, headers: { ...request.headers, ...named } })
  const manager = createManager({ controllers, transport, clock: systemClock, random: systemRandom(), log: silentLog, grace: 300 })
  const stopping = new AbortController()
  const running = manager.run(stopping.signal)
  return {
    client: manager.client,
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await running
      await server.close()
    },
  }
}
