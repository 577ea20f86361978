import { type Frame, recordingLog, seededRandom, type Transport, type VirtualClock } from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import type { Controller } from "../../controller/controller.ts"
import { createManager, type Manager, type ManagerOptions } from "../manager.ts"

export interface TestManager extends AsyncDisposable {
  /** The API server. No other controllers run. */
  readonly server: Cluster
  readonly clock: VirtualClock
  readonly manager: Manager
  readonly lines: ReturnType<typeof recordingLog>["lines"]
  /** The causes of every reconcile, in order: "default/a: ConfigMap added". */
  reconciles(): readonly string[]
  stop(): Promise<void>
}

export interface TestManagerOptions extends Partial<Omit<ManagerOptions, "controllers">> {
  readonly server?: Cluster
  /** Wraps the transport of the manager. */
  readonly layer?: (transport: Transport, clock: VirtualClock) => Transport
}

/** Starts a manager in virtual time, on a server of its own by default, and lets it settle. */
export async function testManager(
  controllers: readonly Controller[],
  { server: given, layer, ...options }: TestManagerOptions = {},
): Promise<TestManager> {
  const server = given ?? (await cluster({ nodes: 0, controllers: [] }))
  const clock = server.clock as VirtualClock
  const { log, lines } = recordingLog()
  const transport = layer?.(server.transport, clock) ?? server.transport
  const manager = createManager({ controllers, transport, clock, random: seededRandom(7), log, freeze: true, ...options })
  const stopping = new AbortController()
  const done = manager.run(stopping.signal)
  // A test that checks how it ended calls stop().
  done.catch(() => {})
  await clock.settle()
  const stop = async () => {
    stopping.abort()
    await clock.run(done)
  }
  return {
    server,
    clock,
    manager,
    lines,
    reconciles: () => manager.trace.entries().map(({ key, causes }) => `${key}: ${causes.join(", ")}`),
    stop,
    async [Symbol.asyncDispose]() {
      await stop().catch(() => {})
      if (given === undefined) await server.close()
    },
  }
}

/** Delays watch events by so many milliseconds. */
export function lateWatches(milliseconds: number): (transport: Transport, clock: VirtualClock) => Transport {
  return (inner, clock) => async (request) => {
    const response = await inner(request)
    const { body } = response
    if (body.type !== "stream") return response
    async function* late(frames: AsyncIterable<Frame>): AsyncGenerator<Frame> {
      for await (const frame of frames) {
        await clock.sleep(milliseconds, { signal: request.signal, name: "late watch" }).catch(() => {})
        yield frame
      }
    }
    return { ...response, body: { type: "stream", frames: late(body.frames) } }
  }
}
