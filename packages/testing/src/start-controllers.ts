import { type Controller, createManager, type Manager } from "@pilothouse/runtime"
import { abortable, type Clock, type Log, PilothouseError, type seededRandom, type Transport, throwIfAborted } from "@pilothouse/seams"
import type { FailedReconciles } from "./failed-reconciles.ts"
import { HotControllers } from "./hot-controllers.ts"

export interface ControllersOptions {
  /** Created at every start: new controllers know nothing. */
  controllers(): readonly Controller[]
  readonly clock: Clock
  readonly random: ReturnType<typeof seededRandom>
  readonly transport: Transport
  /** What a controller writes through, where that is not the common transport. */
  readonly transportFor?: (controller: string) => Transport
  readonly layer?: (transport: Transport) => Transport
  readonly log: Log
  readonly failed: FailedReconciles
}

/** The controllers of a cluster, as one process of which one runs at a time. */
export interface Controllers {
  manager(): Manager
  /** Throws STUCK when one of them never comes to rest, and INVALID for a mistake in one of the test. */
  refuseBroken(): void
  /** Of all that were started. */
  readonly names: ReadonlySet<string>
  /** Ends them as kill -9 does, and starts new ones. Needs no time to pass. */
  restart(): void
  /** Ends when these and all that crashed before have stopped. */
  stop(): Promise<void>
}

/** Starts the controllers of a cluster and returns how they are stopped. */
export function startControllers({
  controllers,
  layer = (inner) => inner,
  transportFor,
  log,
  failed,
  ...seams
}: ControllersOptions): Controllers {
  let starts = 0
  const names = new Set<string>()
  const ends: Promise<void>[] = []
  const start = () => {
    const random = seams.random.fork(`controllers ${starts++}`)
    const stopping = new AbortController()
    const connection = breakable()
    const transport = connection.over(layer(seams.transport))
    const ofController = transportFor && ((name: string) => connection.over(layer(transportFor(name))))
    const hot = new HotControllers(seams.clock)
    const made = controllers().map((controller) => hot.counted(controller))
    for (const { name } of made) names.add(name)
    // No grace period: a test that ends its cluster, or lets it crash, expects no more of its work.
    const manager = createManager({
      ...seams,
      transport,
      transportFor: ofController,
      random,
      controllers: made,
      log,
      grace: 0,
      freeze: true,
    })
    ends.push(manager.run(stopping.signal))
    return { manager, refuseHot: () => hot.refuse(manager.trace), stop: () => stopping.abort(), breakOff: connection.breakOff }
  }
  let running = start()
  return {
    manager: () => running.manager,
    refuseBroken() {
      failed.reporting(() => running.refuseHot())
      failed.refuseMistakes()
    },
    names,
    restart() {
      running.breakOff()
      running.stop()
      failed.restarted()
      running = start()
    },
    async stop() {
      running.stop()
      await Promise.all(ends)
    },
  }
}

/** Once broken off nothing gets through any more, and no answer comes back, not even of what is under way. */
function breakable(): { over(inner: Transport): Transport; breakOff(): void } {
  const broken = new AbortController()
  return {
    over: (inner) => async (request) => {
      try {
        throwIfAborted(broken.signal)
        return await abortable(inner(request), broken.signal)
      } catch (error) {
        throw broken.signal.aborted ? crashed() : error
      }
    },
    breakOff: () => broken.abort(),
  }
}

function crashed(): PilothouseError {
  return new PilothouseError("CONNECTION_LOST", "the process of the controllers has crashed")
}
