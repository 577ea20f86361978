import { X509Certificate } from "node:crypto"
import { renewalTime } from "@pilothouse/apiserver"
import { type Clock, type Log, messageOf } from "@pilothouse/seams"

/** What a program that runs for long renews. */
export interface RenewalOptions {
  /** Whose certificates they are, for the log: "the API server". */
  readonly of: string
  /** PEM of those in use. */
  certificates(): readonly string[]
  /**
   * Makes new ones for those that are due, takes them into use and passes them on. Called again an hour later where it rejects, which is logged, or
   * changes nothing: where all are in use already it has to pass them on.
   */
  renew(): Promise<void>
  /** The authority that signs them, which is not renewed: a warning says when its end is near. */
  readonly authority?: {
    /** PEM. */
    readonly certificate: string
    /** Where it is kept, for the warning. */
    readonly file: string
  }
  readonly clock: Clock
  readonly log: Log
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** A clock that jumps, or a machine that slept, is noticed that late at most. */
const maxWait = 12 * hour

/**
 * Renews certificates at two thirds of their life, until disposed.
 *
 * Always true between two looks: none of the certificates in use is past two thirds of its life, or the log says why it could not be renewed.
 */
export function renewWhileRunning(options: RenewalOptions): AsyncDisposable {
  const stop = new AbortController()
  const running = new Renewal(options).run(stop.signal)
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

class Renewal {
  readonly #options: RenewalOptions
  #hasFailed = false
  /** clock.now() of the last warning about the authority. */
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(options: RenewalOptions) {
    this.#options = options
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, of } = this.#options
    this.#warnOfAuthority()
    while (!signal.aborted) {
      // The signal ends the wait.
      await clock.sleep(this.#wait(), { signal, name: `renewal of the certificates of ${of}` }).catch(() => {})
      if (signal.aborted) return
      this.#warnOfAuthority()
      if (this.#hasFailed || this.#due() <= clock.now()) await this.#renew()
    }
  }

  #due(): number {
    return Math.min(...this.#options.certificates().map((certificate) => renewalTime(certificate)))
  }

  #wait(): number {
    const left = this.#due() - this.#options.clock.now()
    // It failed, or the certificate is a user's own, which is looked for again.
    if (this.#hasFailed || left <= 0) return hour
    return Math.min(Math.max(left, minute), maxWait)
  }

  async #renew(): Promise<void> {
    const { certificates, renew, clock, log, of } = this.#options
    const before = certificates().join()
    try {
      await renew()
      this.#hasFailed = false
      if (certificates().join() !== before) log.info(`the certificates of ${of} were renewed; new connections meet the new ones`)
    } catch (error) {
      this.#hasFailed = true
      if (this.#due() > clock.now()) {
        const inUse = `the certificates of ${of} were renewed, and new connections meet the new ones, but some files do not have them yet`
        log.error(`${inUse}; it is tried again in an hour`, { error: messageOf(error) })
        return
      }
      const ends = certificates().map((certificate) => new X509Certificate(certificate).validTo)
      log.error(`the certificates of ${of} could not be renewed; it is tried again in an hour`, { error: messageOf(error), ends })
    }
  }

  /** Its last tenth is long enough to give clients a new one: of ten years, one. */
  #warnOfAuthority(): void {
    const { authority, clock, log, of } = this.#options
    if (authority === undefined || clock.now() - this.#warnedAt < day) return
    const { validFrom, validTo } = new X509Certificate(authority.certificate)
    const [from, to] = [Date.parse(validFrom), Date.parse(validTo)]
    if (clock.now() < to - (to - from) / 10) return
    this.#warnedAt = clock.now()
    const left = Math.max(0, Math.floor((to - clock.now()) / day))
    log.warn(
      `the certificate authority of ${of} ends in ${left} days (${validTo}), and no client is let in after that: stop it, remove ` +
        `${authority.file} (and keep its key), start it again, and give clients the new kubeconfig`,
    )
  }
}
