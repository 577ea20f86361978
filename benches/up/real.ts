// etcd, kube-apiserver, kube-controller-manager and kube-scheduler, with our simulated nodes in this process: nothing else can run pods here.
import { registerSimulatedNodes, simulatedKubelets } from "@pilothouse/nodes"
import { type Client, createManager, defaultTransport, retrying } from "@pilothouse/runtime"
import { silentLog } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { startControlPlane } from "../../tests/real/control-plane.ts"
import { cpuOf, memoryOf } from "./embedded.ts"

export interface RealCluster extends AsyncDisposable {
  readonly client: Client
  /** Of all four, in megabytes. */
  memory(): number
  /** Of all four, in milliseconds. */
  cpu(): number
}

export async function startRealCluster(nodes: number): Promise<RealCluster> {
  await using starting = new AsyncDisposableStack()
  const plane = starting.use(await startControlPlane())
  await plane.startControllerManager()
  await plane.startScheduler()
  const seams = { clock: systemClock, random: systemRandom() }
  const server = starting.use(await defaultTransport({ kubeconfig: plane.kubeconfig("admin"), clock: systemClock }))
  const transport = retrying(server.transport, seams)
  const manager = createManager({ ...seams, controllers: [simulatedKubelets()], transport, log: silentLog, grace: 300 })
  const stopping = new AbortController()
  const running = manager.run(stopping.signal)
  starting.defer(async () => {
    stopping.abort()
    await running
  })
  await registerSimulatedNodes(manager.client, nodes, { signal: stopping.signal })
  const moved = starting.move()
  const sum = (of: (pid: number) => number) => plane.pids.map(of).reduce((total, one) => total + one, 0)
  return {
    client: manager.client,
    memory: () => sum(memoryOf),
    cpu: () => sum(cpuOf),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}
