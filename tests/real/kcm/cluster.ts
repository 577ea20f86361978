// The real controller manager and scheduler, and our simulated nodes, all speaking over TLS with one API server.
import { registerSimulatedNodes, simulatedKubelets } from "@pilothouse/nodes"
import { createManager, defaultTransport, retrying } from "@pilothouse/runtime"
import { type Log, silentLog } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { binary } from "../../../tools/components/index.ts"
import type { ApiClient } from "../api-client.ts"
import { Child } from "../child.ts"
import { controllerManagerFlags, schedulerFlags } from "../flags.ts"
import { freePorts } from "../free-ports.ts"
import type { UserName } from "../users.ts"

/** An API server, real or ours, with the files that its components ask for. */
export interface Served {
  readonly client: ApiClient
  readonly directory: string
  kubeconfig(user: UserName): string
}

export interface ComponentLine {
  readonly component: string
  readonly line: string
}

export interface KcmCluster extends AsyncDisposable {
  /** Everything that the two components have said. */
  readonly lines: readonly ComponentLine[]
  /** What a component said last, when it has ended on its own. */
  ended(): string | undefined
}

/** Both need server-side apply. */
const without = ["clusterrole-aggregation-controller", "service-cidr-controller"]

export async function startKcmCluster(served: Served, nodes: number): Promise<KcmCluster> {
  await using starting = new AsyncDisposableStack()
  const lines: ComponentLine[] = []
  starting.use(await startNodes(served, nodes))
  const [managerPort = 0, schedulerPort = 0] = await freePorts(2)
  const { directory } = served
  const manager = controllerManagerFlags({ port: managerPort, kubeconfig: served.kubeconfig("controllerManager"), directory })
  const scheduler = schedulerFlags({ port: schedulerPort, kubeconfig: served.kubeconfig("scheduler") })
  const children = [
    component("kube-controller-manager", [...manager, `--controllers=*,-${without.join(",-")}`], lines),
    component("kube-scheduler", scheduler, lines),
  ]
  const kill = () => children.forEach((child) => child.kill())
  process.once("exit", kill)
  starting.defer(() => void process.removeListener("exit", kill))
  for (const child of children) starting.defer(() => child.stop())
  const running = starting.move()
  return {
    lines,
    ended() {
      const dead = children.find((child) => !child.running)
      return dead && `${dead.name} has ended:\n${dead.output}`
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

function component(name: string, args: readonly string[], lines: ComponentLine[]): Child {
  const program = binary("kubernetes", name)
  if (program === undefined) throw new Error(`${name} is not cached: npm run components -- kubernetes builds it`)
  return new Child({ name, program, args, onLine: (line) => lines.push({ component: name, line }) })
}

async function startNodes(served: Served, count: number, log: Log = silentLog): Promise<AsyncDisposable> {
  const [clock, random] = [systemClock, systemRandom()]
  const server = await defaultTransport({ kubeconfig: served.kubeconfig("admin"), clock })
  const transport = retrying(server.transport, { clock, random })
  const manager = createManager({ controllers: [simulatedKubelets()], transport, clock, random, log, grace: 300 })
  const stopping = new AbortController()
  const running = manager.run(stopping.signal)
  await registerSimulatedNodes(manager.client, count, { signal: stopping.signal })
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await running
      await server.close()
    },
  }
}
