import { namespaces } from "@pilothouse/api/core/v1"
import { CloudHealth, kuryr, openStack } from "@pilothouse/openstack"
import { type Client, type Controller, createClient, type HealthCheck } from "@pilothouse/runtime"
import { type Clock, type Files, type Log, type Metrics, messageOf, type Random, type Transport } from "@pilothouse/seams"
import type { CloudSettings } from "./cloud-settings.ts"
import { httpConnect } from "./http-connect.ts"
import { objectChecks } from "./object-checks.ts"

export interface RunHandlersOptions extends CloudSettings {
  readonly clock: Clock
  readonly random: Random
  readonly files: Files
  readonly log: Log
  readonly metrics: Metrics
  /** To the API server. */
  readonly transport: Transport
  readonly dryRun: boolean
  readonly signal: AbortSignal
}

/** Disposing ends the polling of the cloud and closes the connections. */
export interface RunningHandlers extends AsyncDisposable {
  readonly controllers: readonly Controller[]
  checks(): readonly HealthCheck[]
}

/** The handlers for a manager to run, against a cloud that is somewhere. Waits for the API server: a cluster is known by the UID of kube-system. */
export async function runHandlers(options: RunHandlersOptions): Promise<RunningHandlers> {
  const { configuration, access, clock, random, log, metrics, dryRun, signal } = options
  for (const name of configuration.unknown) log.warn("an option of kuryr.conf means nothing here", { option: name })
  for (const name of options.repeated ?? [])
    log.warn("an option of kuryr.conf stands there more than once: the last one counts", { option: name })
  const cluster = await clusterId(createClient(options.transport), options)
  await using starting = new AsyncDisposableStack()
  const { connect } = starting.use(httpConnect(access, { ...options, readOnly: dryRun }))
  const loadBalancing = configuration.lbaasDriver === "lbaasv2" ? "neutron-lbaas" : "octavia"
  const cloud = openStack({ access, connect, clock, metrics, loadBalancing })
  const made = kuryr({ cloud, configuration, cluster, clock, random, log, metrics, dryRun })
  const { pool } = made.drivers.pods
  const hasPods = configuration.enabledHandlers.includes("vif")
  const health = new CloudHealth({
    cloud,
    project: configuration.project,
    clock,
    log,
    metrics,
    poolsLoaded: () => !hasPods || pool.isLoaded,
  })
  const stop = new AbortController()
  const looking = health.run(AbortSignal.any([stop.signal, signal]))
  starting.defer(async () => {
    stop.abort()
    await looking
  })
  const running = starting.move()
  return {
    controllers: made.controllers,
    checks: () => [...objectChecks(made.checks()), ...health.checks()],
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Milliseconds between two tries to reach the API server. */
const patience = 5000

async function clusterId(client: Client, { clock, log, signal }: Pick<RunHandlersOptions, "clock" | "log" | "signal">): Promise<string> {
  for (;;) {
    try {
      const { metadata } = await client.get(namespaces, "kube-system", { signal })
      return metadata.uid ?? ""
    } catch (error) {
      if (signal.aborted) throw error
      log.warn("the namespace kube-system, by which this cluster is known in the cloud, cannot be read yet", { error: messageOf(error) })
      await clock.sleep(patience, { signal, name: "kube-system is read" })
    }
  }
}
