import {
  authenticatedTransports,
  authenticator,
  createApiServer,
  diskStorage,
  ensureCertificates,
  memoryStorage,
  type ServeOptions,
  type Storage,
} from "@pilothouse/apiserver"
import { controllers } from "@pilothouse/controllers"
import { registerSimulatedNodes, scheduler, simulatedKubelets, untilNodesReady } from "@pilothouse/nodes"
import { createManager } from "@pilothouse/runtime"
import { type Clock, type Files, type Log, messageOf, type Random, type Transport } from "@pilothouse/seams"
import { kubeconfig } from "./kubeconfig.ts"
import { listen } from "./listen.ts"

export interface EmbeddedClusterOptions {
  readonly dataDirectory: string
  /** Keeps the objects in memory only. */
  readonly ephemeral?: boolean
  /** Left out: 6443, or the next free one. */
  readonly port?: number
  readonly nodes: number
  readonly clock: Clock
  readonly random: Random
  readonly files: Files
  readonly log: Log
}

/** Disposing stops all of it. */
export interface EmbeddedCluster extends AsyncDisposable {
  readonly port: number
  readonly url: string
  readonly kubeconfig: ReturnType<typeof kubeconfig>
  /** How many loops of the controller manager run. */
  readonly controllers: number
}

/** Milliseconds that open requests get to end in: Ctrl-C has to be over within a second. */
const stopGrace = 300
const host = "127.0.0.1"

/** API server, controllers, scheduler and nodes in this process. Whatever fails on the way, nothing is left running. */
export async function startEmbeddedCluster(options: EmbeddedClusterOptions): Promise<EmbeddedCluster> {
  const { clock, random, files, log } = options
  await using starting = new AsyncDisposableStack()
  const certificates = await ensureCertificates({ files, directory: `${options.dataDirectory}/pki`, clock, random, serviceIp: "10.96.0.1" })
  const storage = options.ephemeral
    ? memoryStorage({ log })
    : await diskStorage({ directory: `${options.dataDirectory}/storage`, clock, log })
  // The server tells pods its port, so the port comes first; no request is read before this function has gone on.
  const transportFor: ServeOptions["transportFor"] = (peer) => transports(peer)
  const https = await listen({ transportFor, host, certificates, clock, random, log }, options.port).catch((error) =>
    closing(storage, error),
  )
  starting.defer(() => https.close(stopGrace))
  const server = createApiServer({
    clock,
    random,
    log,
    storage,
    serviceAccounts: { ...certificates.serviceAccount, issuer: "https://kubernetes.default.svc.cluster.local" },
    clientCa: certificates.ca.certificate,
    advertise: { address: host, port: https.port },
  })
  starting.defer(() => server.close())
  const authenticate = authenticator({ tokenReview: (token) => server.tokenReview(token) })
  const transports = authenticatedTransports(authenticate, (identity) => server.transport(identity))
  starting.use(await startLoops(options, server.transport()))
  const url = `https://${host}:${https.port}`
  const running = starting.move()
  return {
    port: https.port,
    url,
    kubeconfig: kubeconfig({ server: url, ca: certificates.ca.certificate, ...certificates.admin }),
    controllers: controllers.length,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Controllers, scheduler and kubelets, and the nodes they begin with. */
async function startLoops({ nodes, clock, random, log }: EmbeddedClusterOptions, transport: Transport): Promise<AsyncDisposable> {
  const loops = [...controllers.map((entry) => entry.create()), scheduler(), simulatedKubelets()]
  const manager = createManager({ controllers: loops, transport, clock, random, log, grace: stopGrace })
  const stopping = new AbortController()
  const running = manager.run(stopping.signal).catch((error: unknown) => log.error("the loops have stopped", { error: messageOf(error) }))
  const stop = async () => {
    stopping.abort()
    await running
  }
  try {
    await registerSimulatedNodes(manager.client, nodes, stopping.signal)
    // Whoever reads "up" and types "kubectl get nodes" should see them Ready.
    await untilNodesReady(manager.client, () => clock.sleep(5, { name: "nodes become Ready" }))
  } catch (error) {
    await stop()
    throw error
  }
  return { [Symbol.asyncDispose]: stop }
}

async function closing(storage: Storage, error: unknown): Promise<never> {
  await storage.close()
  throw error
}
