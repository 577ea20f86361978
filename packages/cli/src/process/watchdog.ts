import type { EdgeTransport, HeadDecision } from "@pilothouse/apiserver"
import type { Clock, Log, Metrics, Transport, TransportRequest } from "@pilothouse/seams"

/** Milliseconds between two looks: a stall is measured to within this. */
const interval = 50
/** Milliseconds that a check may come late before it counts: timers of a busy process are never exact. */
const countedFrom = 20
/** Milliseconds from which on a stall is logged: other clients have noticed it. */
const loggedFrom = 250

const metricNames = {
  stalls: {
    name: "pilothouse_event_loop_stall_seconds",
    help: "How long the event loop was blocked, each time that it was",
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  longest: {
    name: "pilothouse_event_loop_longest_stall_seconds",
    help: "The longest time that the event loop was blocked since the start",
  },
}

/** The request that was begun last: what blocks the event loop is most often the work for it. */
export class LastRequest {
  #verb = ""
  #path = ""

  /** The same transport, noted with each request. */
  noted(transport: EdgeTransport): EdgeTransport {
    const note = ({ verb, path }: Pick<TransportRequest, "verb" | "path">) => {
      this.#verb = verb
      this.#path = path
    }
    const send: Transport = (request) => {
      note(request)
      return transport(request)
    }
    // What answers a request behind its decision is another transport, which notes nothing: its body comes in between.
    const authorize: EdgeTransport["authorize"] = (head) => {
      note(head)
      const decision = transport.authorize?.(head) ?? { transport }
      return decision instanceof Promise ? decision.then(noted) : noted(decision)
    }
    const noted = (decision: HeadDecision): HeadDecision =>
      "refusal" in decision ? decision : { transport: this.noted(decision.transport) }
    return Object.assign(send, { authorize })
  }

  toString(): string {
    return this.#verb === "" ? "none yet" : `${this.#verb} ${this.#path.slice(0, 200)}`
  }
}

/** The reconcile of which a part was begun last. */
export class LastReconcile {
  #controller = ""
  #key = ""

  readonly note = (controller: string, key: string): void => {
    this.#controller = controller
    this.#key = key
  }

  toString(): string {
    return this.#controller === "" ? "none yet" : `${this.#controller} ${this.#key.slice(0, 300)}`
  }
}

export interface WatchdogOptions {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly lastRequest?: LastRequest
  /** Where controllers run in this process. */
  readonly lastReconcile?: LastReconcile
}

/**
 * Measures how long the event loop is blocked, by a timer that comes late; exports it as metrics and logs what was handled. Disposing ends it.
 * The clock is the system's: nothing is late in virtual time.
 */
export function watchEventLoop({ clock, log, metrics, lastRequest, lastReconcile }: WatchdogOptions): Disposable {
  const [stalls, longest] = [metrics.histogram(metricNames.stalls), metrics.gauge(metricNames.longest)]
  let [worst, due] = [0, 0]
  let timer: Disposable | undefined
  const check = () => {
    const late = clock.elapsed() - due
    if (late >= countedFrom) stalls.observe(late / 1000)
    if (late > worst) {
      worst = late
      longest.set(worst / 1000)
    }
    if (late >= loggedFrom) {
      const handled = {
        lastRequest: String(lastRequest ?? ""),
        ...(lastReconcile !== undefined && { lastReconcile: String(lastReconcile) }),
      }
      log.warn("the event loop was blocked", { milliseconds: Math.round(late), ...handled })
    }
    start()
  }
  const start = () => {
    due = clock.elapsed() + interval
    timer = clock.timer(interval, "the watchdog's next check", check)
  }
  longest.set(0)
  start()
  return { [Symbol.dispose]: () => timer?.[Symbol.dispose]() }
}
