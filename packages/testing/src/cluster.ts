import { generateKeyPairSync } from "node:crypto"
import type { KubeObject } from "@pilothouse/api"
import { type ApiServer, createApiServer, type Identity, showManagedFields, tokenSigner } from "@pilothouse/apiserver"
import {
  type CloudProvider,
  createCloudControllers,
  isCloudController,
  isServiceControllerSelected,
  MemoryCloud,
  memoryProvider,
} from "@pilothouse/cloud"
import {
  accountUser,
  controllerRoles,
  controllersOfVersions,
  controllerUser,
  createControllers,
  kubeletRole,
  managerUser,
} from "@pilothouse/controllers"
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
  systemStreams,
} from "@pilothouse/nodes"
import {
  type Client,
  type Controller,
  createClient,
  registerWebhooks,
  rulesOf,
  type ServerDialer,
  serverDialer,
  type Webhook,
  webhookHandler,
} from "@pilothouse/runtime"
import { isDefinition } from "@pilothouse/runtime/manifests"
import { type Clock, type Dial, jsonRoundTrip, type Log, seededRandom, type Transport, type VirtualClock } from "@pilothouse/seams"
import { systemClock, textLog } from "@pilothouse/seams/system"
import { applyObjects, installDefinitions } from "./apply-objects.ts"
import type { Cluster, ClusterOptions } from "./cluster-options.ts"
import { FailedReconciles } from "./failed-reconciles.ts"
import { type Controllers, startControllers } from "./start-controllers.ts"
import { needVirtual, run, until, virtualClock } from "./virtual-time.ts"

/** Starts a cluster in this process: API server, controllers, scheduler and simulated nodes, in virtual time by default. */
export async function cluster(options: ClusterOptions = {}): Promise<Cluster> {
  const virtual = virtualClock(options)
  const clock = virtual ?? systemClock
  const random = seededRandom(options.seed ?? 1)
  const keys = serviceAccountKey()
  const asked = { clock, client: () => client }
  const processes = processesOf(options, asked)
  const dialer = serverDialer({ clock })
  const server = createApiServer({
    clock,
    dial: withWebhooks(dialer.dial, options.webhooks),
    random: random.fork("apiserver"),
    // Those of a test are asked first.
    extensions: [
      ...(options.extensions ?? []),
      ...metricsApis({ ...asked, measured: processes && ((...which) => processes.usage(...which)) }),
    ],
    kubelet: kubeletApi({ ...asked, processes, printed: processes && ((...which) => processes.printed(...which)) }),
    allowLoopbackEndpoints: processes !== undefined,
    serviceAccounts: { keys, issuer: "https://kubernetes.default.svc.cluster.local" },
    ...servedSettings(options, clock),
  })
  const throughWire = (inProcess: Transport) => (options.throughJson ? jsonRoundTrip(inProcess) : inProcess)
  const as = (user?: Identity) => throughWire(server.transport(options.rbac ? user : undefined))
  const shown = (inProcess: Transport) => throughWire(options.managedFields ? showManagedFields(inProcess) : inProcess)
  const transport = options.managedFields ? shown(server.transport()) : as()
  const client = createClient(transport, { userAgent: "test" })
  const { layer, nodes = 1, log = textLog("error") } = options
  const [balancers, failed] = [balancerControllers(options, clock, log), new FailedReconciles(options.expectFailure)]
  await run(virtual, install(client, clock, options)).catch(closing(server))
  const controllers = () => [...chosenControllers(options, clock, keys, processes, failed), ...balancers()]
  const transportFor = options.rbac ? (name: string) => as(controllerUser(name) ?? accountUser(name)) : undefined
  const running = startControllers({ controllers, clock, random, transport: as(managerUser), transportFor, layer, log, failed })
  const made: Cluster = {
    client,
    as: (user) => createClient(shown(server.transport(authenticated(user))), { userAgent: "test" }),
    clock,
    random,
    transport,
    get trace() {
      return running.manager().trace
    },
    controllerNames: running.names,
    apply: applyWith(client, clock, virtual),
    list: async (of, listOptions) => (await client.list(of, listOptions)).items,
    settled: async () => {
      await needVirtual(virtual, "settled").settle()
      running.refuseBroken()
    },
    advance: async (duration) => {
      await needVirtual(virtual, "advance").advance(duration)
      running.refuseBroken()
    },
    until: (condition) => until(needVirtual(virtual, "until"), condition, running),
    restartControllers: async () => running.restart(),
    close: () => close(running, server, dialer, virtual, processes).finally(() => failed.refuseAll()),
    [Symbol.asyncDispose]: () => made.close(),
  }
  await run(virtual, registerSimulatedNodes(client, nodes, { exec: processes !== undefined, oneAddress: processes?.oneAddress }))
  return made
}

/** Which group versions are served, and to whom. */
function servedSettings({ enabledVersions, rbac, extra }: ClusterOptions, clock: Clock) {
  const own = rbac ? ownControllers(extra, clock) : []
  const roles = [...controllerRoles, kubeletRole, ...own.map(componentRoleOf)]
  return {
    ...(enabledVersions && { enabledVersions }),
    ...(rbac && { authorizationModes: ["Node", "RBAC"] as const, componentRoles: roles }),
  }
}

function ownControllers(extra: ClusterOptions["extra"], clock: Clock): readonly Controller[] {
  return typeof extra === "function" ? extra(clock) : (extra ?? [])
}

/** A controller of the test works as an account of its name, with the rights that it declares. */
function componentRoleOf(controller: Controller) {
  const rules = rulesOf([controller]).map(({ verbs, apiGroups = [], resources = [] }) => {
    const groups = apiGroups.map((group) => group || "core")
    return `${verbs.join(",")} ${groups.join(",")}: ${resources.join(" ")}`
  })
  return { account: controller.name, rules }
}

/** Before the controllers start: their first discovery finds the kinds. */
async function install(client: Client, clock: Clock, { crds, webhooks }: ClusterOptions): Promise<void> {
  if (crds !== undefined) await installDefinitions(client, clock, crds)
  if (webhooks !== undefined) await registerWebhooks(client, webhooks, inProcess)
}

/** Where webhooks of a test are: a name that no network has. */
const inProcess = { name: "webhooks", address: { url: "https://webhooks.invalid" } } as const

/** Requests to the webhooks of a test stay in this process. */
function withWebhooks(dial: Dial, webhooks: readonly Webhook[] = []): Dial {
  const handler = webhookHandler(webhooks)
  return (to) => (to.server === inProcess.address.url ? handler : dial(to))
}

/** Definitions take a moment until their kinds are served: virtual time is run for them, and stands still for everything else. */
function applyWith(client: Client, clock: Clock, virtual: VirtualClock | undefined): Cluster["apply"] {
  const apply = (objects: readonly KubeObject[]) => {
    const applied = applyObjects(client, clock, objects)
    return objects.some(isDefinition) ? run(virtual, applied) : applied
  }
  async function applyAny(given: KubeObject | readonly KubeObject[]): Promise<KubeObject | readonly KubeObject[]> {
    return isSeveral(given) ? apply(given) : (await apply([given]))[0]!
  }
  return applyAny as Cluster["apply"]
}

function authenticated({ groups = [], ...user }: Parameters<Cluster["as"]>[0]): Identity {
  return { ...user, groups: [...groups, "system:authenticated"] }
}

function isSeveral(given: KubeObject | readonly KubeObject[]): given is readonly KubeObject[] {
  return Array.isArray(given)
}

function closing(server: ApiServer): (error: unknown) => Promise<never> {
  return async (error) => {
    await server.close()
    throw error
  }
}

function processesOf({ exec }: ClusterOptions, seams: Pick<ProcessesOptions, "clock" | "client">): Processes | undefined {
  if (exec === undefined || exec === false) return undefined
  return new Processes({
    ...seams,
    ...(exec === true ? { spawn: systemSpawner(), stream: systemStreams(), probe: systemProbe, powers: systemPowers } : exec),
  })
}

function chosenControllers(
  { controllers: select, enabledVersions, schedulerProfiles, settings, extra, kubeletEvents, network, needs: given }: ClusterOptions,
  clock: Clock,
  keys: () => KeyPair,
  processes: Processes | undefined,
  failed: FailedReconciles,
): readonly Controller[] {
  const needs: ClusterOptions["needs"] = { signToken: (claims) => tokenSigner(keys().key)(claims), ...given }
  const table = (select ?? ["*", ...controllersOfVersions(enabledVersions)]).filter((word) => !isCloudController(word))
  const own = ownControllers(extra, clock).map((controller) => failed.watched(controller))
  const kubelets = simulatedKubelets({ events: kubeletEvents, processes, network })
  return [...createControllers({ select: table, settings, needs }), scheduler({ clock, profiles: schedulerProfiles }), kubelets, ...own]
}

async function close(
  running: Controllers,
  server: ApiServer,
  dialer: ServerDialer,
  clock: VirtualClock | undefined,
  processes: Processes | undefined,
): Promise<void> {
  await run(clock, running.stop())
  if (processes !== undefined) await run(clock, processes[Symbol.asyncDispose]())
  await server.close()
  await dialer[Symbol.asyncDispose]()
}

/**
 * The controller of Services of type LoadBalancer, a new one at every start, for a cloud that outlives them all. Of the cloud's controllers only this one: a cloud
 * that is only remembered knows of no machine, and a controller that asked it for those of the nodes would take every node for one that is gone.
 */
function balancerControllers(
  { controllers: select = ["*"], loadBalancers }: ClusterOptions,
  clock: Clock,
  log: Log,
): () => readonly Controller[] {
  if (loadBalancers === false || !isServiceControllerSelected(select)) return () => []
  let made: CloudProvider | undefined
  const provider = () => (made ??= loadBalancers?.(clock) ?? memoryProvider({ cloud: new MemoryCloud({ clock }) }))
  return () => createCloudControllers({ provider, clock, log, select: ["service"] }).controllers
}

interface KeyPair {
  readonly key: string
  readonly publicKey: string
}

/**
 * What the tokens of a cluster's service accounts are signed with; another one for each cluster, and made when the first token is asked for:
 * most tests ask for none. Synchronous, so that virtual time holds.
 */
function serviceAccountKey(): () => KeyPair {
  let made: KeyPair | undefined
  return () => (made ??= generated())
}

function generated(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
  }
}
