import { ensureCertificates } from "@pilothouse/apiserver"
import { registerSimulatedNodes, scheduler, simulatedKubelets } from "@pilothouse/nodes"
import { createManager, defaultTransport, retrying } from "@pilothouse/runtime"
import { silentLog } from "@pilothouse/seams"
import { systemClock, systemFiles, systemRandom } from "@pilothouse/seams/system"
import type { Plane } from "../control-plane.ts"
import { startMetricsServer } from "./metrics-server.ts"

/** Scheduler, simulated nodes and their metrics, in this process, as an administrator: the rights under test are the controllers'. */
export async function startNodes(plane: Plane, count: number): Promise<AsyncDisposable> {
  await using starting = new AsyncDisposableStack()
  const seams = { clock: systemClock, random: systemRandom() }
  const server = starting.use(await defaultTransport({ kubeconfig: plane.kubeconfig("admin"), clock: systemClock }))
  const transport = retrying(server.transport, seams)
  const manager = createManager({ ...seams, controllers: [scheduler(), simulatedKubelets()], transport, log: silentLog, grace: 300 })
  const stopping = new AbortController()
  const running = manager.run(stopping.signal)
  starting.defer(async () => {
    stopping.abort()
    await running
  })
  await registerSimulatedNodes(manager.client, count, { signal: stopping.signal })
  const certificates = await ensureCertificates({ ...seams, files: systemFiles, directory: plane.directory, serviceIp: "10.0.0.1" })
  starting.use(await startMetricsServer(plane.client, manager.client, certificates))
  return starting.move()
}
