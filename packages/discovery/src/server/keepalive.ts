import type { ServerHttp2Session } from "node:http2"

/** How silent connections are found. */
export interface KeepaliveOptions {
  /** Milliseconds after which connections are asked whether they live, again and again. */
  readonly time: number
  /** Milliseconds that one may think about it. */
  readonly timeout: number
}

/** Connections that go without a word are given up. One timer for all of them: a thousand clients would have two thousand. */
export class Keepalive implements Disposable {
  readonly #sessions: ReadonlySet<ServerHttp2Session>
  readonly #options: KeepaliveOptions
  readonly #onSilent: () => void
  readonly #timer: NodeJS.Timeout
  /** There while answers are waited for. */
  #waiting: NodeJS.Timeout | undefined

  constructor(sessions: ReadonlySet<ServerHttp2Session>, options: KeepaliveOptions, onSilent: () => void) {
    this.#sessions = sessions
    this.#options = options
    this.#onSilent = onSilent
    this.#timer = setInterval(() => this.#ask(), options.time).unref()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    clearTimeout(this.#waiting)
  }

  #ask(): void {
    if (this.#waiting !== undefined) return
    const silent = new Set(this.#sessions)
    for (const session of silent) {
      if (session.destroyed) silent.delete(session)
      // A client that said that it goes (GOAWAY) is not asked any more, which is reported as an error: it has the same time to go.
      else session.ping((error) => void (error === null && silent.delete(session)))
    }
    // Timers come before sockets: what was answered while we were busy is read first.
    this.#waiting = setTimeout(() => setImmediate(() => this.#giveUp(silent)), this.#options.timeout).unref()
  }

  #giveUp(silent: ReadonlySet<ServerHttp2Session>): void {
    this.#waiting = undefined
    for (const session of silent) {
      if (session.destroyed) continue
      this.#onSilent()
      session.destroy()
    }
  }
}
