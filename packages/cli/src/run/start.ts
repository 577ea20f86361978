import { hostAndPort, tokenSigner } from "@pilothouse/apiserver"
import { createControllers, knownFeatureGates, missingNeeds, type Needs, selectControllers } from "@pilothouse/controllers"
import { createManager, type ManagerOptions, type RateLimitOptions, rateLimited } from "@pilothouse/runtime"
import { type Files, memoryMetrics, type Transport } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { advertisedAddress } from "../apiserver/advertised-address.ts"
import { pemOf } from "../certificates/pem-files.ts"
import { TurnGate } from "../process/turn-gate.ts"
import { LastReconcile, LastRequest, watchEventLoop } from "../process/watchdog.ts"
import { version } from "../version.ts"
import { refuseBusyCluster } from "./connection/busy-cluster.ts"
import type { ControllerTransports } from "./connection/controller-transports.ts"
import type { SwappableTransport } from "./connection/swappable-transport.ts"
import { tableControllers, tableSettings } from "./controllers/check-controller-settings.ts"
import { cloudControllers } from "./controllers/cloud-provider.ts"
import { openClouds } from "./controllers/clouds.ts"
import { signersOf } from "./controllers/signers.ts"
import { delegatedAccess } from "./endpoints/delegated-access.ts"
import { serveRunEndpoints } from "./endpoints/endpoints.ts"
import { featureGatesOf, type OwnSettings } from "./flags/flags.ts"
import type { RunSeams, RunSettings } from "./flags/run-options.ts"

export interface RunConnections {
  /** With the credentials that it was started with. */
  readonly connection: SwappableTransport
  /** With those of each controller. */
  readonly transports: ControllerTransports
}

/** The controllers alone, on a cluster that is somewhere. Ends when the signal does; throws LEADERSHIP_LOST when another has taken over. */
export async function runControllers(
  settings: RunSettings,
  { connection, transports }: RunConnections,
  seams: RunSeams,
  signal: AbortSignal,
): Promise<void> {
  const { log } = seams
  const { own, controllerSettings } = settings
  const select = tableControllers(own.controllers)
  const featureGates = featureGatesOf(own)
  const unknown = Object.keys(featureGates).filter((name) => !knownFeatureGates.includes(name))
  if (unknown.length > 0) log.warn("--feature-gates names gates that change nothing here", { gates: unknown.join(", ") })
  const needs = needsOf(own, seams.files, connection)
  const metrics = memoryMetrics()
  await using clouds = await openClouds(own, { ...seams, metrics, transport: connection.transport, signal })
  const cloud = cloudControllers(settings, { ...seams, metrics }, clouds.provider)
  const handlers = clouds.handlers
  const chosen = [
    ...createControllers({ select, featureGates, settings: tableSettings(controllerSettings), needs: { ...needs, metrics } }),
    ...cloud.controllers,
    ...(handlers?.controllers ?? []),
  ]
  for (const entry of selectControllers(select, featureGates)) {
    const missing = missingNeeds(entry, needs)
    if (missing.length > 0) log.warn(`${entry.name} is left out`, { needs: missing.map((need) => needFlags[need] ?? need).join(", ") })
  }
  const lastReconcile = new LastReconcile()
  using turns = new TurnGate(systemClock)
  const manager = createManager({
    ...seams,
    controllers: chosen,
    checks: () => [...cloud.checks, ...(handlers?.checks() ?? [])],
    transport: connection.transport,
    host: new URL(connection.server).host,
    transportFor: (controller) =>
      limited(transports.for(controller), own, { clock: seams.clock, metrics, host: new URL(connection.server).host }),
    userAgent: `pilothouse/${version()}`,
    flags: () => ({ ...own, ...controllerSettings }),
    metrics,
    onReconcile: lastReconcile.note,
    whenFree: turns.whenFree,
    dryRun: own["dry-run"],
    grace: own["controller-shutdown-timeout"],
    startInterval: own["controller-start-interval"],
    leaderElection: electionOf(own, seams, () => port?.fingerprint()),
  })
  const lastRequest = new LastRequest()
  await using port = await serveRunEndpoints(
    own,
    delegatedAccess(lastRequest.noted(manager.endpoints), connection.transport, seams.clock),
    seams,
  )
  // Health is answered before: a server that takes its time is no reason to be killed by a probe.
  if (!own["dry-run"]) await refuseBusyCluster(connection, log, signal)
  const endpoints = port?.address ?? "none"
  log.info("the controllers run", { server: connection.server, controllers: chosen.length, endpoints, dryRun: own["dry-run"] })
  if (own["dry-run"])
    log.info("nothing is written: a plan is logged when there is something to do, and with --log-level debug also when there is nothing")
  // The event loop is a real one, also where the time of the cluster is virtual.
  using _watchdog = watchEventLoop({ clock: systemClock, log, metrics, lastRequest, lastReconcile })
  await manager.run(signal)
}

/** With --kube-api-qps each controller has a limit of its own, as upstream; caches and the Lease have none. */
function limited(inner: Transport, own: OwnSettings, seams: Pick<RateLimitOptions, "clock" | "metrics" | "host">): Transport {
  const { "kube-api-qps": perSecond, "kube-api-burst": burst } = own
  return perSecond === 0 ? inner : rateLimited(inner, { ...seams, perSecond, burst })
}

/** The flags that give a controller what it needs; what is not here is always there. */
const needFlags: Readonly<Partial<Record<keyof Needs, string>>> = {
  rootCa: "--root-ca-file",
  signers: "--cluster-signing-cert-file, --cluster-signing-key-file",
  signToken: "--service-account-private-key-file",
}

function needsOf(own: OwnSettings, files: Files, connection: SwappableTransport): Needs {
  const [file, key] = [own["root-ca-file"], own["service-account-private-key-file"]]
  const rootCa = file === "" ? connection.authorities() : pemOf(files, "--root-ca-file", file)
  const signers = signersOf(own, files)
  return {
    files,
    ...(signers !== undefined && { signers }),
    ...(rootCa !== undefined && { rootCa }),
    ...(key !== "" && { signToken: tokenSigner(pemOf(files, "--service-account-private-key-file", key)) }),
  }
}

function electionOf(
  own: OwnSettings,
  { host, random, addresses = [] }: RunSeams,
  debugCertificate: () => string | undefined,
): ManagerOptions["leaderElection"] {
  if (!own["leader-elect"]) return undefined
  return {
    lease: `${own["leader-elect-resource-namespace"]}/${own["leader-elect-resource-name"]}`,
    identity: `${host}_${random.uuid()}`,
    leaseDuration: own["leader-elect-lease-duration"],
    renewDeadline: own["leader-elect-renew-deadline"],
    retryPeriod: own["leader-elect-retry-period"],
    ...(own["secure-port"] !== 0 && { debugAddress: debugAddressOf(own, addresses), debugCertificate }),
  }
}

/**
 * Returns the address at which clients find the port of the leader; `own` are the addresses of this machine, for a port that listens on all of them.
 */
export function debugAddressOf(settings: OwnSettings, own: readonly string[]): string {
  const { "bind-address": bindAddress, "secure-port": port, "debug-address": said } = settings
  return said || `https://${hostAndPort(advertisedAddress({ bindAddress }, own), port)}`
}
