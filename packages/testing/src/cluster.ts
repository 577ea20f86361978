import { type ApiServer, createApiServer, tokenSigner } from "@pilothouse/apiserver"
import { isCloudController } from "@pilothouse/cloud"
import { createControllers } from "@pilothouse/controllers"
import {
  kubeletApi,
  metricsApis,
  Processes,
  type ProcessesOptions,
  registerSimulatedNodes,
  scheduler,
  simulatedKubelets,
  systemPowers,
  systemProbe,
  systemSpawner,
} from "@pilothouse/nodes"
import { type Controller, createClient } from "@pilothouse/runtime"
import { type Clock, jsonRoundTrip, seededRandom, type VirtualClock } from "@pilothouse/seams"
import { systemClock, textLog } from "@pilothouse/seams/system"
import { applyObject } from "./apply-object.ts"
import type { Cluster, ClusterOptions } from "./cluster-options.ts"
import { balancerControllers } from "./load-balancers.ts"
import { serviceAccountKey } from "./service-account-key.ts"
import { type Controllers, startControllers } from "./start-controllers.ts"
import { needVirtual, run, until, virtualClock } from "./virtual-time.ts"

export async function cluster(options: ClusterOptions = {}): Promise<Cluster> {
  const virtual = virtualClock(options)
  const clock = virtual ?? systemClock
  const random = seededRandom(options.seed ?? 1)
  const keys = serviceAccountKey()
  const serviceAccounts = { keys, issuer: "https://kubernetes.default.svc.cluster.local" }
  const asked = { clock, client: () => client }
  const processes = processesOf(options, asked)
  const server = createApiServer({
    clock,
    random: random.fork("apiserver"),
    // Those of a test are asked first.
    extensions: [
      ...(options.extensions ?? []),
      ...metricsApis({ ...asked, measured: processes && ((...which) => processes.usage(...which)) }),
    ],
    kubelet: kubeletApi({ ...asked, printed: processes && ((...which) => processes.printed(...which)) }),
    allowLoopbackEndpoints: processes !== undefined,
    serviceAccounts,
  })
  const transport = options.throughJson ? jsonRoundTrip(server.transport()) : server.transport()
  const client = createClient(transport, { userAgent: "test" })
  const { layer, log = textLog("error") } = options
  const needs: Needs = { signToken: (claims) => tokenSigner(keys().key)(claims), ...options.needs }
  const balancers = balancerControllers(options, clock, log)
  const controllers = () => [...chosenControllers(options, clock, needs, processes), ...balancers()]
  const running = startControllers({ controllers, clock, random, transport, layer, log })
  const made: Cluster = {
    client,
    clock,
    random,
    transport,
    get trace() {
      return running.manager().trace
    },
    controllerNames: running.names,
    apply: (object) => applyObject(client, object),
    list: async (of, listOptions) => (await client.list(of, listOptions)).items,
    settled: async () => {
      await needVirtual(virtual, "settled").settle()
      running.refuseHot()
    },
    advance: async (duration) => {
      await needVirtual(virtual, "advance").advance(duration)
      running.refuseHot()
    },
    until: (condition) => until(needVirtual(virtual, "until"), condition, running),
    restartControllers: async () => running.restart(),
    close: () => close(running, server, virtual, processes),
    [Symbol.asyncDispose]: () => close(running, server, virtual, processes),
  }
  await run(
    virtual,
    registerSimulatedNodes(client, options.nodes ?? 1, { exec: processes !== undefined, oneAddress: processes?.oneAddress }),
  )
  return made
}

function processesOf({ exec }: ClusterOptions, seams: Pick<ProcessesOptions, "clock" | "client">): Processes | undefined {
  if (exec === undefined || exec === false) return undefined
  return new Processes({ ...seams, ...(exec === true ? { spawn: systemSpawner(), probe: systemProbe, powers: systemPowers } : exec) })
}

type Needs = NonNullable<ClusterOptions["needs"]>

function chosenControllers(
  { controllers: select, settings, extra = [], kubeletEvents, network }: ClusterOptions,
  clock: Clock,
  needs: Needs,
  processes: Processes | undefined,
): readonly Controller[] {
  const table = select?.filter((word) => !isCloudController(word))
  const own = typeof extra === "function" ? extra(clock) : extra
  const kubelets = simulatedKubelets({ events: kubeletEvents, processes, network })
  return [...createControllers({ select: table, settings, needs }), scheduler(), kubelets, ...own]
}

async function close(
  running: Controllers,
  server: ApiServer,
  clock: VirtualClock | undefined,
  processes: Processes | undefined,
): Promise<void> {
  await run(clock, running.stop())
  if (processes !== undefined) await run(clock, processes[Symbol.asyncDispose]())
  await server.close()
}
