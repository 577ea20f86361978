import type { Clock, Duration, Log, Random, Transport } from "@pilothouse/seams"
import { retrying } from "./client/retry.ts"
import type { HttpTransport } from "./http/http-transport.ts"
import { createManager, type Manager, type ManagerOptions } from "./manager/manager.ts"

/**
 * The one file of the runtime that reaches for the machine: its clock, its files, its environment, its signals.
 * Everything here is loaded and looked at when it is needed, inside run(): making a manager does nothing.
 */

export interface ClusterOptions {
  /** The path of a kubeconfig; without it those that kubectl reads, or the pod's service account. */
  readonly kubeconfig?: string
  /** Instead of the kubeconfig's current context. */
  readonly context?: string
}

export interface DefaultTransportOptions extends ClusterOptions {
  readonly clock?: Clock
  /** How long a connection may take to open. */
  readonly connectTimeout?: Duration
  /** How long an answer may take, or the beginning of a stream. */
  readonly answerTimeout?: Duration
}

export interface DefaultTransport extends HttpTransport {
  readonly server: string
  /** Of the context, or of the pod; "default" where neither says. */
  readonly namespace: string
}

/** The API server that kubectl would speak to. Reads the kubeconfig now; opens a connection with the first request. */
export async function defaultTransport({ kubeconfig, context, ...options }: DefaultTransportOptions = {}): Promise<DefaultTransport> {
  const { systemClock, systemFiles } = await import("@pilothouse/seams/system")
  const [{ connect }, { httpTransport }, { runPlugin }] = await Promise.all([
    import("./kubeconfig/connect.ts"),
    import("./http/http-transport.ts"),
    import("./kubeconfig/run-plugin.ts"),
  ])
  const clock = options.clock ?? systemClock
  const machine = { files: systemFiles, environment: process.env, run: runPlugin, terminal: process.stdin.isTTY === true }
  const connection = await connect({ ...machine, clock, kubeconfig, context })
  return { ...httpTransport(connection, { ...options, clock }), server: connection.server, namespace: connection.namespace }
}

export interface DefaultManagerOptions extends Omit<ManagerOptions, "transport" | "clock" | "random">, ClusterOptions {
  /** Instead of the one that the kubeconfig leads to. */
  readonly transport?: Transport
  readonly clock?: Clock
  readonly random?: Random
  readonly log?: Log
  /** Ends run(). Without it, and without one given to run(), Ctrl-C and SIGTERM do. */
  readonly signal?: AbortSignal
}

export interface DefaultManager {
  /** Ends when the signal does, and when everything has stopped. */
  run(signal?: AbortSignal): Promise<void>
}

/** A whole program: `await manager({ controllers: [mine] }).run()`. */
export function manager({ kubeconfig, context, transport, signal: given, ...options }: DefaultManagerOptions): DefaultManager {
  return {
    async run(signal = given) {
      using stop = signal === undefined ? untilAskedToStop() : { signal, [Symbol.dispose]() {} }
      const { systemClock, systemRandom, textLog } = await import("@pilothouse/seams/system")
      const { clock = systemClock, random = systemRandom(), log = textLog() } = options
      const server = transport === undefined ? await defaultTransport({ kubeconfig, context, clock }) : undefined
      await using _open = server
      const wired = { ...options, transport: transport ?? retrying(server!.transport, { clock, random }), clock, random, log }
      const made: Manager = createManager(wired)
      await made.run(stop.signal)
    },
  }
}

/** Aborts at Ctrl-C, or when the system asks the process to end. A second Ctrl-C ends the process at once. */
function untilAskedToStop(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController()
  const names = ["SIGINT", "SIGTERM"] as const
  const stop = () => {
    controller.abort()
    for (const name of names) process.removeListener(name, stop)
  }
  for (const name of names) process.once(name, stop)
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of names) process.removeListener(name, stop)
    },
  }
}
